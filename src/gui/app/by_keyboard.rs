//! What a mouse does by dragging and pointing, by command: where the trade-off looks, the box on it and the cell of a row.

use super::MantissaApp;
use crate::gui::look::ChartStep;
use crate::gui::measure::Region;
use crate::gui::region::BoxStep;
use crate::gui::rows_text;
use crate::gui::state::View;

impl MantissaApp {
    /// A page on in a view that is one, ten rows on above the table.
    pub(super) fn page(&mut self, by: isize) {
        if self.state.has_table() {
            self.step_selection(10 * by);
        } else {
            self.state.page_step = by;
        }
    }

    /// Has the trade-off look elsewhere.
    pub(super) fn look(&mut self, step: ChartStep) {
        self.state.settings.view = View::TradeOff;
        self.state.chart_step = Some(step);
    }

    /// Puts a box around the selection.
    pub(super) fn box_around(&mut self) {
        if let Some(region) = self.new_box() {
            self.show_box(region);
        }
    }

    /// Changes the box; where there is none on these axes, one around the selection comes first.
    pub(super) fn step_box(&mut self, step: BoxStep) {
        let axes = self.state.settings.axes;
        let here = self.state.tab().and_then(|t| t.row_settings.region);
        let Some(region) = here.filter(|r| r.is_on(axes)) else {
            self.box_around();
            return;
        };
        if let Some(plan) = self.state.tab().and_then(|t| t.plan()) {
            let region = region.stepped(plan, axes.scale, step);
            self.show_box(region);
        }
    }

    fn new_box(&mut self) -> Option<Region> {
        let axes = self.state.settings.axes;
        let tab = self.state.tab()?;
        let plan = tab.plan()?;
        let run = tab.selected.and_then(|i| plan.combinations.get(i)?.run());
        let found = run.and_then(|run| Region::around(plan, axes, run));
        if found.is_none() {
            self.complain("The selection has no place on these axes".to_owned());
        }
        found
    }

    fn show_box(&mut self, region: Region) {
        self.state.settings.view = View::TradeOff;
        if let Some(tab) = self.state.tab_mut() {
            tab.row_settings.region = Some(region);
        }
    }

    /// Copies the marked cell of the selected row; without a mark that of the column the table is sorted by.
    pub(super) fn copy_cell(&mut self, ctx: &egui::Context) {
        let Some(tab) = self.state.tab_mut() else {
            return;
        };
        let column = *tab.cell.get_or_insert(tab.row_settings.sort);
        let text = tab.plan().and_then(|plan| {
            let c = plan.combinations.get(tab.selected?)?;
            Some(rows_text::cell(column, c, c.run()?))
        });
        if let Some(text) = text {
            let said = format!("Copied “{text}”");
            ctx.copy_text(text);
            self.tell(said);
        }
    }
}
