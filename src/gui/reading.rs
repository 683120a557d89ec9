//! How to read the views and the columns of the table, in words. Every text of that kind stands here.

use super::rows::Column;
use super::state::View;

/// What is seen, and what it means.
pub type Line = (&'static str, &'static str);

const SELECTION: Line = (
    "Ring",
    "The accent ring is the selection, which the inspector explains. A gray ring is what the pointer is on, here or in \
     the table.",
);
const COLOUR: Line = (
    "Colour and fill",
    "Colour is the number format. Solid: used everywhere. Ring: autocast over FP32 weights. Half: matmuls only.",
);

/// What the marks, lines and shades of a view mean.
pub const fn lines_of(view: View) -> &'static [Line] {
    match view {
        View::TradeOff => &[
            (
                "Point",
                "One combination of part, count and precision mode. Left and down is better.",
            ),
            ("Shape", "The accelerator, as the legend names it."),
            COLOUR,
            (
                "Whiskers",
                "The 90\u{202F}% interval: nine runs in ten should end inside it. At a fixed price cost is time × price, \
                 so both intervals are one slanted stroke; a cross where the figures err apart.",
            ),
            (
                "Stepped line",
                "The Pareto front: nothing shown is better in both figures than a point on it. The answers are named \
                 where they stand.",
            ),
            (
                "Dashed lines and shade",
                "Your limits. What lies in the shade is over one of them; “within” counts a point only where the upper \
                 end of its interval is inside too.",
            ),
            SELECTION,
            (
                "Pointer",
                "A click selects, a drag draws a box that filters the table. Scrolling or a drag with Shift moves the \
                 chart, Ctrl with the wheel or a pinch looks closer, a double click shows the whole.",
            ),
        ],
        View::Scaling => &[
            (
                "Line",
                "One accelerator over its counts, in its fastest mode; the selected part is in the selected mode. “Every mode” \
                 draws the others too.",
            ),
            COLOUR,
            ("Band", "The 90\u{202F}% interval of the selected line."),
            (
                "Dashed line",
                "Perfect scaling of the selected line from its smallest count on: twice the devices, half the time.",
            ),
            (
                "Percent",
                "Efficiency: the share of the device hours that perfect scaling would have spent.",
            ),
            SELECTION,
        ],
        View::Breakdown => &[
            (
                "Bar",
                "One step of one combination, in the order of the table. Bars on the screen share one scale.",
            ),
            (
                "Cool colours",
                "Useful work: matmuls, memory traffic, the optimizer.",
            ),
            (
                "Warm colours",
                "Overhead: casts and loss scaling, and communication that nothing hides.",
            ),
            ("Bubble", "Devices of a pipeline that wait for others."),
        ],
        View::HeatMap => &[
            (
                "Cell",
                "Total time of a precision mode on an accelerator at the selected count, or of the selected part over its \
                 counts; the cost below.",
            ),
            (
                "Colour",
                "The stronger, the faster; the scale is that of the cells shown.",
            ),
            (
                "Refused",
                "Cannot run; the pointer on it shows why and the way out.",
            ),
            (
                "Edge",
                "The accent edge is the selection, an amber one is beyond a limit.",
            ),
        ],
        View::Why => &[
            (
                "Tests passed",
                "The questions of a short rule that led to what limits the step, in order; the sentence above says what they mean.",
            ),
            (
                "Bars",
                "From the physics of the roofline to the prediction. Each factor multiplies what stands above it: ×1.10 \
                 makes the step a tenth slower. All of them together are the prediction, nothing is left over.",
            ),
            (
                "Colour",
                "Warm makes the step slower, green faster than physics says.",
            ),
            (
                "Importance",
                "What matters in each stage over all measured runs, whatever is selected.",
            ),
        ],
        View::Evidence => &[
            (
                "Source",
                "A click on the row copies it, the link opens the file in the browser: at its commit, or as it is now where \
                 none is recorded.",
            ),
            (
                "Dots",
                "The nearest measured runs on a line from fast to slow; the three nearest are stronger.",
            ),
            (
                "Mark and band",
                "This prediction and its 90\u{202F}% interval.",
            ),
            (
                "Distance",
                "0 is the same configuration. Within about 0.35 a run counts as near; beyond it the interval widens.",
            ),
            (
                "Off",
                "How far the prediction is from what was measured, on a run the predictor was fitted on.",
            ),
        ],
        View::Accuracy => &[
            (
                "Errors",
                "Of predictions of runs the predictor had not seen: by run, by publication, by part and by model left out.",
            ),
            (
                "Coverage",
                "The share of measured runs inside their interval; it should be the level the interval states.",
            ),
            (
                "Your runs",
                "Open a file of measured runs to hold them against the predictor and to calibrate on them.",
            ),
        ],
        View::Compare => &[
            (
                "First column",
                "The baseline. The others are compared with it.",
            ),
            (
                "Arrows",
                "▲ more and ▼ less than the baseline; green is better, red is worse.",
            ),
            (
                "Bars",
                "All columns share one scale, so lengths can be compared.",
            ),
            (
                "Whisker",
                "The 90\u{202F}% interval, with a tick where your limit is.",
            ),
        ],
    }
}

/// Whether the table stands below a view.
pub const fn has_table(view: View) -> bool {
    matches!(
        view,
        View::TradeOff | View::Scaling | View::Breakdown | View::HeatMap
    )
}

/// What a column of the table says.
pub const fn column(column: Column) -> &'static str {
    match column {
        Column::Precision => {
            "Number format, and where it is used: everywhere, under autocast or in matmuls only."
        }
        Column::Accelerator => "The part.",
        Column::Seller => "Whose price the cost is computed with.",
        Column::Price => "That price, for one accelerator and hour.",
        Column::Count => "Accelerators of the run.",
        Column::Layout => "How the model is cut over them: the fastest layout that fits.",
        Column::Step => "Time of one optimizer step.",
        Column::TotalTime => {
            "The whole run: steps, evaluation, checkpoints and interruptions. Amber is over the deadline."
        }
        Column::Cost => "Total time at the price of the part. Amber is over the budget.",
        Column::AgainstSelected => "Total time as a multiple of that of the selection.",
        Column::Energy => "Energy of the whole run.",
        Column::Carbon => "Emissions of that energy in the region of the request.",
        Column::Rate => "Tokens, samples or images a second of each accelerator.",
        Column::Memory => {
            "Estimated peak of each device and what it has, in GiB of 2^30 bytes. Amber is nearly full."
        }
        Column::StepBar => "The parts of the step as shares, in the colours of the breakdown.",
        Column::Interval => {
            "The 90\u{202F}% interval of the step time; a side of the whisker is full from 40\u{202F}% on. Amber: within the \
             limits by its figures, beyond them by the upper end."
        }
        Column::Confidence => {
            "The interval as a word: High to ±12\u{202F}%, Medium to ±30\u{202F}%, else Low."
        }
    }
}
