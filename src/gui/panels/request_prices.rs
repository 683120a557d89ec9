//! How accelerator hours are bought: on demand, spot, reserved, owned, and prices of one's own.

use super::request_fields::{PartRows, Row, choice_row, field_row, part_rows};
use super::scene::{Scene, cached, key_of};
use crate::format;
use crate::gui::parse;
use crate::gui::prices;
use crate::gui::state::Field;
use crate::gui::theme::Tokens;
use crate::gui::widgets::{disclosure, note, problem};
use crate::planner::{OwnedRequest, PlanRequest, PriceRequest, plain_reason};
use crate::presets::seller_label;
use crate::units::UsdPerHour;
use egui::Ui;

/// Years and use in percent that hardware of one's own starts with, to be changed: those of the request in
/// `docs/requests.md`.
const STARTS_WITH: (f64, f64) = (4.0, 80.0);

/// Draws the tier and what belongs to it.
pub fn purchase_ui(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    const CHOICES: [(&str, &str); 4] = [
        ("on-demand", "On demand"),
        ("spot", "Spot, interruptible"),
        ("reserved", "Reserved"),
        ("owned", "Own hardware"),
    ];
    let asked = request.prices.clone().unwrap_or_default();
    let now = asked.tier.clone().unwrap_or_else(|| "on-demand".to_owned());
    if let Some(key) = choice_row(ui, "Bought", &now, "As in the file", &CHOICES) {
        cx.edit("prices", |r| {
            set_prices(r, |prices| {
                prices.tier = (key != "on-demand").then(|| key.to_owned());
                if key == "owned" && prices.owned.is_none() {
                    prices.owned = Some(OwnedRequest {
                        years: STARTS_WITH.0,
                        use_percent: STARTS_WITH.1,
                        ..OwnedRequest::default()
                    });
                }
            });
        });
    }
    seller_row(ui, cx, request, &asked);
    if asked.every_seller {
        let text =
            "Each seller\u{2019}s lowest price, old and marketplace ones too: mind the dates";
        note(ui, text, Tokens::of(ui).sub);
    }
    for path in ["prices.tier", "prices.provider"] {
        if let Some(message) = cx.tab.error_at(path) {
            problem(ui, message);
        }
    }
    match now.as_str() {
        "reserved" => reserved_ui(ui, cx, &asked),
        "owned" => owned_ui(ui, cx, request, &asked),
        _ => {}
    }
    if disclosure(ui, "Own prices", !asked.own_usd_per_hour.is_empty()) {
        own_prices_ui(ui, cx, request);
    }
}

/// Stands for every seller among the names of sellers.
const EVERY: &str = "*";

/// Whose prices count: the cheapest listed of each part, or those of one seller. Not there where nobody sells any.
fn seller_row(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest, asked: &PriceRequest) {
    // The whole price list is gone through, so not in every frame.
    let key = key_of(&(&request.accelerators, &asked.tier));
    let sellers = cached(ui, "sellers", key, || cx.backend.sellers(request));
    if sellers.is_empty() {
        return;
    }
    let texts: Vec<String> = sellers
        .iter()
        .map(|(name, usd)| {
            let price = format::money_per_hour(UsdPerHour(*usd));
            format!("{}, from {price}", seller_label(name))
        })
        .collect();
    let mut choices = vec![
        ("", "The cheapest of each"),
        (EVERY, "Every seller, side by side"),
    ];
    choices.extend(
        sellers
            .iter()
            .zip(&texts)
            .map(|((name, _), text)| (name.as_str(), text.as_str())),
    );
    let now = match &asked.provider {
        Some(name) => name.clone(),
        None if asked.every_seller => EVERY.to_owned(),
        None => String::new(),
    };
    if let Some(name) = choice_row(ui, "From", &now, seller_label(&now), &choices) {
        let every = name == EVERY;
        let provider = (!name.is_empty() && !every).then(|| name.to_owned());
        cx.edit("prices.provider", |r| {
            set_prices(r, |prices| {
                (prices.provider, prices.every_seller) = (provider, every);
            });
        });
    }
}

fn reserved_ui(ui: &mut Ui, cx: &mut Scene<'_>, asked: &PriceRequest) {
    let text = asked
        .reserved_discount_percent
        .map_or_else(String::new, parse::exact);
    let row = Row::new("Discount", Field::Discount, &text, "% off").hint("your contract's");
    field_row(ui, cx, row, |r, typed| {
        let value = parse::optional(typed, parse::percent)?;
        set_prices(r, |prices| prices.reserved_discount_percent = value);
        Ok(())
    });
    if asked.reserved_discount_percent.is_none() {
        let text = "Reserved prices are agreed by contract; none of the price lists here has any, so your discount is needed";
        note(ui, text, Tokens::of(ui).warn);
    }
}

/// One figure of one's own hardware.
struct OwnedRow {
    label: &'static str,
    field: Field,
    unit: &'static str,
    hint: &'static str,
    get: fn(&OwnedRequest) -> Option<f64>,
    set: fn(&mut OwnedRequest, Option<f64>),
    parse: fn(&str) -> Result<f64, String>,
}

const OWNED_ROWS: [OwnedRow; 5] = [
    OwnedRow {
        label: "Written off in",
        field: Field::OwnedYears,
        unit: "years",
        hint: "4",
        get: |o| Some(o.years),
        set: |o, v| o.years = v.unwrap_or(STARTS_WITH.0),
        parse: parse::years,
    },
    OwnedRow {
        label: "In use",
        field: Field::OwnedUse,
        unit: "% of hours",
        hint: "80",
        get: |o| Some(o.use_percent),
        set: |o, v| o.use_percent = v.unwrap_or(STARTS_WITH.1),
        parse: parse::percent,
    },
    OwnedRow {
        label: "Upkeep",
        field: Field::OwnedUpkeep,
        unit: "% a year",
        hint: "0",
        get: |o| o.upkeep_percent,
        set: |o, v| o.upkeep_percent = v,
        parse: parse::percent,
    },
    OwnedRow {
        label: "Electricity",
        field: Field::Electricity,
        unit: "$/kWh",
        hint: "the region\u{2019}s",
        get: |o| o.usd_per_kwh,
        set: |o, v| o.usd_per_kwh = v,
        parse: parse::price,
    },
    OwnedRow {
        label: "PUE",
        field: Field::BuildingOverhead,
        unit: "",
        hint: "the average",
        get: |o| o.pue,
        set: |o, v| o.pue = v,
        parse: parse::number,
    },
];

fn owned_ui(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest, asked: &PriceRequest) {
    let t = Tokens::of(ui);
    let owned = asked.owned.clone().unwrap_or_default();
    for line in &OWNED_ROWS {
        let text = (line.get)(&owned).map_or_else(String::new, parse::exact);
        let row = Row::new(line.label, line.field, &text, line.unit).hint(line.hint);
        field_row(ui, cx, row, |r, typed| {
            let value = parse::optional(typed, line.parse)?;
            set_owned(r, |owned| (line.set)(owned, value));
            Ok(())
        });
    }
    let missing = cx
        .selection()
        .and_then(|(_, _, run)| run.missing.cost.as_deref());
    if let Some(reason) = missing {
        note(ui, &plain_reason(reason), t.warn);
    }
    note(
        ui,
        "What one cost you, with its share of node and network",
        t.sub,
    );
    let purchase = PartRows {
        field: Field::Purchase,
        what: "Purchase price of",
        unit: "$ each",
        hint: &|_, _| "not given".to_owned(),
        map: |r| {
            let prices = r.prices.clone().unwrap_or_default();
            prices.owned.unwrap_or_default().usd_per_accelerator
        },
        set_map: |r, map| set_owned(r, |owned| owned.usd_per_accelerator = map),
        show: parse::exact,
        parse: parse::number,
    };
    part_rows(ui, cx, request, &purchase);
}

fn own_prices_ui(ui: &mut Ui, cx: &mut Scene<'_>, request: &PlanRequest) {
    let t = Tokens::of(ui);
    note(
        ui,
        "What you pay for an hour of one; it goes before any other price",
        t.sub,
    );
    // What stands behind an empty field: the price without one of the person's own.
    let mut without = request.clone();
    if let Some(prices) = &mut without.prices {
        prices.own_usd_per_hour.clear();
    }
    let listed = |cx: &Scene<'_>, name: &str| {
        let part = cx.backend.accelerator(name);
        let listed = part.map_or_else(Vec::new, |part| cx.backend.prices(&without, &part));
        prices::range(&listed, 1.0).map_or_else(
            || "no price".to_owned(),
            |range| range.replace("/h", "").replace('$', ""),
        )
    };
    let own = PartRows {
        field: Field::OwnPrice,
        what: "Own price of",
        unit: "$/h",
        hint: &listed,
        map: |r| r.prices.clone().unwrap_or_default().own_usd_per_hour,
        set_map: |r, map| set_prices(r, |prices| prices.own_usd_per_hour = map),
        show: parse::exact,
        parse: parse::price,
    };
    part_rows(ui, cx, request, &own);
}

fn set_prices(r: &mut PlanRequest, change: impl FnOnce(&mut PriceRequest)) {
    let mut prices = r.prices.clone().unwrap_or_default();
    change(&mut prices);
    // What another way of buying needs would be refused or wait unseen in the file.
    if prices.tier.as_deref() != Some("reserved") {
        prices.reserved_discount_percent = None;
    }
    if prices.tier.as_deref() != Some("owned") {
        prices.owned = None;
    }
    r.prices = (prices != PriceRequest::default()).then_some(prices);
}

fn set_owned(r: &mut PlanRequest, change: impl FnOnce(&mut OwnedRequest)) {
    set_prices(r, |prices| {
        let mut owned = prices.owned.clone().unwrap_or_default();
        change(&mut owned);
        prices.owned = Some(owned);
    });
}
