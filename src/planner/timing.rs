//! How long a layout's step takes: by physics for the search, by the whole predictor for what it compares, and under the
//! what-if of the network.

use super::layout::Site;
use super::run::Desk;
use super::search::{Search, search};
use crate::domain::{Configuration, MemoryUse, Optimizer, Strategy};
use crate::physics::{PrecisionView, StepTimes, StepWork, extra_time, host_bytes, memory_use};
use crate::predictor::{PredictError, Prediction};
use crate::units::{BytesPerSecond, Seconds};

/// Bytes of memory of a node's host, as much as a DGX A100 or H100 of 640 GB has (NVIDIA DGX A100 and H100 user guides:
/// 2 TB).
const HOST_MEMORY: f64 = 2e12;

impl Desk<'_> {
    /// The layout to take, and the factor on its predicted step.
    ///
    /// On the network as it is, that of [`search`], and 1. Under a what-if either what was compared there, predicted on the
    /// other network, or the layout that physics finds for the other network: its step is that of the layout taken as the
    /// network is, times what physics says the fastest step gains or loses. Both rise with a slower network and fall with
    /// a faster one, so the plan does; a search of its own would compare the process's corrections of other layouts, which
    /// can outweigh what the network changes.
    ///
    /// # Errors
    /// A sentence, where the given degrees cannot be had.
    pub(super) fn find(
        &self,
        site: &Site<'_>,
        template: &Configuration,
    ) -> Result<(Search, f64), String> {
        let as_is = search(
            site,
            template,
            &|c| self.sketch(c, 1.0),
            Some(&|layouts| self.ranking(layouts)),
        )?;
        let scale = self.request.what_if.network;
        let Some(best) = as_is
            .best
            .filter(|_| scale != 1.0 && template.fabric.nodes > 1)
        else {
            return Ok((as_is, 1.0));
        };
        let other = search(site, template, &|c| self.sketch(c, scale), None)?;
        let under = self.under(template, scale, best, &as_is, &other);
        let (mut found, anchor) = under.unwrap_or((as_is, 1.0));
        found.before = Some(best).filter(|_| found.best != Some(best));
        Ok((found, anchor))
    }

    /// The layout under the what-if, given the searches on both networks; `None` where one cannot be predicted.
    fn under(
        &self,
        template: &Configuration,
        scale: f64,
        best: Strategy,
        as_is: &Search,
        other: &Search,
    ) -> Option<(Search, f64)> {
        let whole =
            |layout: Strategy, network: f64| self.whole(&template.laid_out(layout), network).ok();
        let (before, stays) = (whole(best, 1.0)?, whole(best, scale)?);
        let anchored = before * other.fastest? / as_is.fastest?;
        let (step, nearest) = (as_is.compared.iter())
            .filter_map(|layout| Some((whole(*layout, scale)?, *layout)))
            .min_by(|a, b| a.0.total_cmp(&b.0))?;
        // What the search ranked first need not be predicted fastest: that is no gain from a slower network.
        let step = if scale < 1.0 { step.max(before) } else { step };
        let behind = |time: f64| Some((best, stays / time - 1.0));
        let (strategy, second, time) = if stays <= step.min(anchored) {
            (best, as_is.second, stays)
        } else if step <= anchored {
            (nearest, behind(step), step)
        } else {
            (other.best?, behind(anchored), anchored)
        };
        let found = Search {
            best: Some(strategy),
            second,
            dropped: as_is.dropped,
            ..Search::default()
        };
        Some((found, time / whole(strategy, scale)?))
    }

    /// Memory and physical step time of a layout: what the search makes its shortlist by. `network` scales what nodes are
    /// joined by.
    fn sketch(&self, c: &Configuration, network: f64) -> Result<(MemoryUse, f64), PredictError> {
        let work = StepWork::new(c, PrecisionView::Aware)?;
        let beside = f64::from(c.fabric.together(c.count));
        if host_bytes(c, work.device_parameters) * beside > HOST_MEMORY {
            return Err(PredictError::Strategy(
                "What is kept on the host is more than the memory of a node.".to_owned(),
            ));
        }
        let extra = extra_time(c, work.device_parameters).total();
        let step = self.physics(&work) * self.network_factor(c, &work, network) + extra.value();
        Ok((memory_use(c, work.device_parameters), step))
    }

    /// What the search compares layouts by, in seconds, with all that a sketch adds.
    fn ranking(&self, layouts: &[Configuration]) -> Result<Vec<f64>, PredictError> {
        let mut steps = self.predictor.ranking_seconds(layouts)?;
        for (step, c) in steps.iter_mut().zip(layouts) {
            let work = StepWork::new(c, PrecisionView::Aware)?;
            *step += extra_time(c, work.device_parameters).total().value();
        }
        Ok(steps)
    }

    /// Predicted step time in seconds on a network of `network` times the bandwidth, with all that a sketch adds.
    fn whole(&self, c: &Configuration, network: f64) -> Result<f64, PredictError> {
        let work = StepWork::new(c, PrecisionView::Aware)?;
        let extra = extra_time(c, work.device_parameters).total();
        let factor = self.network_factor(c, &work, network);
        Ok(self.predictor.step_seconds(c)? * factor + extra.value())
    }

    /// Physical step time in seconds.
    fn physics(&self, work: &StepWork) -> f64 {
        StepTimes::compose(work, &self.predictor.artifact().stages.constants).total
    }

    /// How much a network of `scale` times the bandwidth slows or speeds a step, by physics: the process knows networks as
    /// they are and is no judge of the same run on another.
    fn network_factor(&self, c: &Configuration, work: &StepWork, scale: f64) -> f64 {
        if scale == 1.0 || c.fabric.nodes <= 1 {
            return 1.0;
        }
        let mut other = c.clone();
        other.fabric.inter = BytesPerSecond(c.fabric.inter.value() * scale);
        StepWork::new(&other, PrecisionView::Aware)
            .map_or(1.0, |changed| self.physics(&changed) / self.physics(work))
    }

    /// The prediction under the what-if of the network (`anchor` is that of [`Desk::find`]), with what no measured run of
    /// the fit has: offload, quantised base weights, orthogonalised updates.
    pub(super) fn adjusted(
        &self,
        mut prediction: Prediction,
        c: &Configuration,
        anchor: f64,
    ) -> Prediction {
        let Ok(work) = StepWork::new(c, PrecisionView::Aware) else {
            return prediction;
        };
        let step = prediction.step_time;
        let network = self.network_factor(c, &work, self.request.what_if.network) * anchor;
        let parts = &mut prediction.breakdown;
        let waited = parts.communication.value() + step.value * (network - 1.0);
        parts.communication = Seconds(waited.max(0.0));
        let extra = extra_time(c, work.device_parameters);
        parts.communication += extra.transfers;
        parts.optimizer += extra.optimizer;
        parts.casts += extra.dequantise;
        let added = extra.total().value();
        prediction.step_time = step.scaled(network + added / step.value.max(f64::MIN_POSITIVE));
        // Updates on the host are offload too.
        let orthogonalised = match c.workload.optimizer {
            Optimizer::Muon => extra.optimizer,
            _ => Seconds(0.0),
        };
        let by_papers: Vec<&str> = [
            ("offload", extra.transfers),
            ("4-bit weights", extra.dequantise),
            ("Muon's orthogonalisation", orthogonalised),
        ]
        .into_iter()
        .filter(|(_, time)| time.value() > 0.0)
        .map(|(name, _)| name)
        .collect();
        if !by_papers.is_empty() {
            prediction.notes.push(format!(
                "Part of the step follows from rates of papers alone: {}.",
                by_papers.join(" and ")
            ));
        }
        prediction
    }
}
