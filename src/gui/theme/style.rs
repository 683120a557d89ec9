//! The tokens as egui styles, one for each theme.

use super::{Role, Tokens, fonts};
use egui::{
    Context, CornerRadius, Margin, Shadow, Stroke, Style, TextStyle, Theme, Vec2,
    style::WidgetVisuals,
};

/// Installs fonts and both themes; call once, before the first frame.
pub fn install(ctx: &Context) {
    ctx.set_fonts(fonts::definitions());
    for theme in [Theme::Dark, Theme::Light] {
        ctx.style_mut_of(theme, |style| {
            apply(style, Tokens::for_theme(theme == Theme::Dark));
        });
    }
}

fn apply(style: &mut Style, t: &Tokens) {
    style.text_styles = [
        (TextStyle::Heading, Role::Title.font()),
        (TextStyle::Body, Role::Body.font()),
        (TextStyle::Button, Role::Body.font()),
        (TextStyle::Small, Role::Caption.font()),
        (TextStyle::Monospace, Role::Body.font()),
    ]
    .into();
    spacing(style);
    style.animation_time = 0.08;
    let v = &mut style.visuals;
    v.override_text_color = None;
    v.weak_text_color = Some(t.sub);
    v.selection.bg_fill = t.sel;
    v.selection.stroke = Stroke::new(1.0, t.accent);
    v.hyperlink_color = t.accent;
    v.faint_bg_color = t.raised;
    v.extreme_bg_color = t.input;
    v.text_edit_bg_color = Some(t.input);
    v.code_bg_color = t.input;
    v.warn_fg_color = t.warn;
    v.error_fg_color = t.bad;
    v.window_corner_radius = CornerRadius::same(8);
    v.menu_corner_radius = CornerRadius::same(6);
    v.window_fill = t.raised;
    v.window_stroke = Stroke::new(1.0, t.line_strong);
    v.panel_fill = t.panel;
    let shadow = Shadow {
        offset: [0, 8],
        blur: 24,
        spread: 0,
        color: t.shadow,
    };
    v.window_shadow = shadow;
    v.popup_shadow = shadow;
    v.striped = false;
    v.indent_has_left_vline = false;
    v.image_loading_spinners = false;
    let look = |fill, text| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::NONE,
        corner_radius: CornerRadius::same(4),
        fg_stroke: Stroke::new(1.0, text),
        expansion: 0.0,
    };
    v.widgets.noninteractive = look(t.panel, t.text);
    v.widgets.noninteractive.bg_stroke = Stroke::new(1.0, t.line);
    v.widgets.inactive = look(t.input, t.text);
    v.widgets.hovered = look(t.hover, t.strong);
    v.widgets.active = look(t.hover, t.strong);
    v.widgets.open = look(t.hover, t.strong);
}

fn spacing(style: &mut Style) {
    let s = &mut style.spacing;
    s.item_spacing = Vec2::new(8.0, 4.0);
    s.button_padding = Vec2::new(8.0, 4.0);
    s.interact_size = Vec2::new(24.0, 24.0);
    s.menu_margin = Margin::same(4);
    s.window_margin = Margin::same(12);
    s.scroll.bar_width = 6.0;
    s.scroll.fade.strength = 0.0;
    s.scroll.floating = true;
    s.scroll.floating_allocated_width = 0.0;
    s.scroll.floating_width = 4.0;
    s.scroll.bar_inner_margin = 2.0;
    s.scroll.bar_outer_margin = 1.0;
    s.tooltip_width = 420.0;
}
