//! Places the keyboard can be sent to by name: every field, and the regions of the window one after another.

use egui::{Context, Id, Rect};

/// A place that takes the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// What the palette calls it.
    pub title: &'static str,
    /// The names its widget may have; the first one drawn gets the keyboard.
    pub names: &'static [&'static str],
    /// The line it is folded behind.
    pub inside: Option<&'static str>,
}

impl Place {
    /// Whether it stands above the table, not in the panel of the request.
    pub fn is_in_table(self) -> bool {
        self.names == ["Filter"]
    }
}

const fn place(title: &'static str, names: &'static [&'static str]) -> Place {
    Place {
        title,
        names,
        inside: None,
    }
}

const fn folded(
    title: &'static str,
    names: &'static [&'static str],
    inside: &'static str,
) -> Place {
    Place {
        title,
        names,
        inside: Some(inside),
    }
}

/// What the palette is asked for the commands that have a key.
pub const KEYS: &str = "keyboard shortcut";

/// The palette's own line: it opens with a text that typing replaces.
pub const PALETTE: Place = place("Palette", &["Palette"]);

/// Every field, in the order of the panel.
pub const FIELDS: [Place; 29] = [
    place("Model", &["Model"]),
    place("Train for", &["Train for"]),
    place("Data set", &["Data set"]),
    place("Batch", &["Global batch", "Batch each"]),
    place("Sequence length", &["Sequence"]),
    place("Decoder length", &["Decoder"]),
    place("Image side", &["Image side"]),
    place("Layout", &["Layout"]),
    place("Trained weights, LoRA", &["Trained"]),
    place("Add accelerator", &["Add accelerator…"]),
    place("Accelerators per run", &["Another count"]),
    place("Precision", &["FP64"]),
    place("Budget", &["Budget"]),
    place("Deadline", &["Deadline"]),
    folded("Energy limit", &["Energy limit"], "More limits"),
    folded("CO₂e limit", &["CO₂e limit"], "More limits"),
    folded("Free memory", &["Free memory"], "More limits"),
    place("Best is", &["Best is"]),
    place("Precision schedule", &["Phase"]),
    place("What if prices", &["Prices"]),
    place("What if network", &["Network"]),
    place("What if failures", &["Failures"]),
    place("How hours are bought", &["Bought"]),
    place("Seller", &["From"]),
    place("Own prices", &["Own prices"]),
    place("Optimizer", &["Optimizer"]),
    place("Tuning", &["Tuning"]),
    place("Region", &["Region"]),
    place("Filter of the table", &["Filter"]),
];

/// Other words that people look for a field or its section by.
pub fn other_words(title: &str) -> &'static str {
    match title {
        "Model" => "network architecture llm",
        "Train for" => "workload tokens epochs steps length amount data",
        "Data set" => "samples examples images",
        "Batch" => "workload global micro size",
        "Sequence length" => "workload context tokens",
        "Decoder length" => "workload target summary tokens",
        "Image side" => "workload resolution pixels",
        "Layout" => "parallelism sharding strategy fsdp zero ddp hsdp tensor pipeline",
        "Trained weights, LoRA" => "fine-tuning adapters qlora rank peft",
        "Add accelerator" => "gpu part hardware device tpu",
        "Accelerators per run" => "gpus counts devices nodes number",
        "Precision" => "modes formats fp8 bf16 fp16 tf32 mixed amp quantisation",
        "Precision schedule" => "phases modes over time",
        "Budget" => "limits money cost dollars",
        "Deadline" => "limits time date days",
        "Energy limit" => "limits power electricity kwh",
        "CO₂e limit" => "limits carbon emissions co2 climate",
        "Free memory" => "limits headroom vram",
        "Best is" => "goal objective minimise optimise target",
        "What if prices" => "discount sensitivity cheaper",
        "What if network" => "bandwidth interconnect infiniband sensitivity",
        "What if failures" => "interruptions reliability sensitivity",
        "How hours are bought" => {
            "reserved spot on demand owned on-premises price tier software site"
        }
        "Seller" => "from provider cloud vendor aws price",
        "Own prices" => "contract rate dollars per hour",
        "Optimizer" => "adam sgd lion software site",
        "Tuning" => "software stack mlperf site",
        "Region" => "carbon co2 emissions grid country location site",
        "Filter of the table" => "search rows find",
        _ => "",
    }
}

/// A region of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // named by what they are
pub enum Region {
    Top,
    Request,
    Views,
    Table,
    Inspector,
}

impl Region {
    /// In the order of the keys.
    const ALL: [Self; 5] = [
        Self::Top,
        Self::Request,
        Self::Views,
        Self::Table,
        Self::Inspector,
    ];

    /// Where the keyboard goes in it.
    pub const fn place(self) -> Place {
        match self {
            Self::Top => place("Top bar", &["Mantissa menu"]),
            Self::Request => place("Request", &["Model"]),
            Self::Views => place("Views", &["Chosen view"]),
            Self::Table => place("Table", &["Filter"]),
            Self::Inspector => place("Inspector", &["Pin to compare", "Unpin"]),
        }
    }

    fn id(self) -> Id {
        Id::unique(("region", self as usize))
    }

    /// Remembers where it is drawn in this frame.
    pub fn mark(self, ctx: &Context, rect: Rect) {
        let now = ctx.cumulative_frame_nr();
        ctx.data_mut(|d| d.insert_temp(self.id(), (now, rect)));
    }

    /// Where it was drawn just now; `None` where it is not shown.
    fn shown(self, ctx: &Context) -> Option<Rect> {
        let (frame, rect) = ctx.data(|d| d.get_temp::<(u64, Rect)>(self.id()))?;
        (frame + LATE >= ctx.cumulative_frame_nr()).then_some(rect)
    }
}

/// Frames after which a region counts as gone and a wish as not to be met.
const LATE: u64 = 3;

/// The place of the next region, or of the one before: from the one that has the keyboard, else from the first.
pub fn next_region(ctx: &Context, back: bool) -> Option<Place> {
    let shown: Vec<(Region, Rect)> = Region::ALL
        .into_iter()
        .filter_map(|region| Some((region, region.shown(ctx)?)))
        .collect();
    let focused = ctx.memory(|m| m.focused());
    let at = focused
        .and_then(|id| ctx.read_response(id))
        .map(|response| response.rect.center());
    // The table lies inside the centre: the last that contains the place is the closest.
    let here = at.and_then(|at| shown.iter().rposition(|(_, rect)| rect.contains(at)));
    let count = shown.len();
    let next = match (here, back) {
        (None, false) => 0,
        (None, true) => count.checked_sub(1)?,
        (Some(i), false) => (i + 1) % count,
        (Some(i), true) => (i + count - 1) % count,
    };
    shown.get(next).map(|(region, _)| region.place())
}

/// A wish for the keyboard to be somewhere.
#[derive(Clone, Copy)]
struct Wish {
    place: Place,
    frame: u64,
}

fn wish_id() -> Id {
    Id::unique("wanted-place")
}

/// Sends the keyboard to a place; the widget of that name takes it when it is drawn next.
pub fn send_to(ctx: &Context, place: Place) {
    let frame = ctx.cumulative_frame_nr();
    ctx.data_mut(|d| d.insert_temp(wish_id(), Wish { place, frame }));
    ctx.request_repaint();
}

/// Keeps a wish from growing old: the place comes with the plan that is being computed.
pub fn hold(ctx: &Context) {
    if let Some(place) = wish(ctx) {
        let frame = ctx.cumulative_frame_nr();
        ctx.data_mut(|d| d.insert_temp(wish_id(), Wish { place, frame }));
    }
}

fn wish(ctx: &Context) -> Option<Place> {
    let wish = ctx.data(|d| d.get_temp::<Wish>(wish_id()))?;
    (wish.frame + LATE >= ctx.cumulative_frame_nr()).then_some(wish.place)
}

/// Whether the keyboard was sent to the widget of this name; asked once, it is there.
pub fn arrives(ctx: &Context, name: &str) -> bool {
    let is_wanted = wish(ctx).is_some_and(|place| place.names.contains(&name));
    if is_wanted {
        ctx.data_mut(|d| d.remove::<Wish>(wish_id()));
    }
    is_wanted
}

/// Whether a line of this title hides the place the keyboard was sent to.
pub fn is_behind(ctx: &Context, title: &str) -> bool {
    wish(ctx).is_some_and(|place| place.inside == Some(title))
}
