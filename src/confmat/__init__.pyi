"""The front page: every name of `confmat`, once; `__init__.py` reads it too."""

# Count.
from confmat.core.matrix import ConfusionMatrix as ConfusionMatrix
from confmat.core.labels import Labels as Labels
from confmat.core.cells import Cells as Cells
from confmat.core.stack import Stack as Stack
from confmat.core.samples import Sample as Sample
from confmat.counting import count as count
from confmat.counting.tally import Tally as Tally
from confmat.io import (
    count_frame as count_frame,
    count_files as count_files,
    thresholds_frame as thresholds_frame,
)
from confmat.deciding import from_scores as from_scores, thresholds as thresholds
from confmat.answers import Answers as Answers, AnswerLog as AnswerLog
from confmat.kernels import kernel_name as kernel_name
from confmat._version import __version__ as __version__

# Ask.
from confmat.metrics import (
    score as score,
    metric as metric,
    catalog as catalog,
    Metric as Metric,
    AVERAGES as AVERAGES,
    Average as Average,
    Costs as Costs,
)
from confmat.reporting import report as report, Report as Report
from confmat.intervals import interval as interval, Estimate as Estimate, Estimates as Estimates
from confmat.intervals.planning import items_needed as items_needed
from confmat.intervals.sampled import areas as areas
from confmat.intervals.prevalence import estimate_prevalence as estimate_prevalence
from confmat.intervals.raters import rater_agreement as rater_agreement
from confmat.io.judges import judged as judged
from confmat.judging import Judged as Judged
from confmat.structure import top_confusions as top_confusions, class_groups as class_groups
from confmat.costs import cost_report as cost_report, expected_cost as expected_cost
from confmat.deciding import (
    roc as roc,
    roc_auc as roc_auc,
    pr_curve as pr_curve,
    average_precision as average_precision,
    Curve as Curve,
    decision_curve as decision_curve,
    best as best,
    risk_coverage as risk_coverage,
    unanswered as unanswered,
    top_k_accuracy as top_k_accuracy,
)
from confmat.calibrating import calibration as calibration, Calibration as Calibration
from confmat.io.calibrated import (
    calibration_frame as calibration_frame,
    calibration_files as calibration_files,
)
from confmat.auditing import (
    audit as audit,
    infer as infer,
    Finding as Finding,
    Findings as Findings,
)

# Compare.
from confmat.io.compared import compare as compare
from confmat.comparison import (
    compare_predictions as compare_predictions,
    Comparison as Comparison,
    mcnemar as mcnemar,
    gap as gap,
    Gap as Gap,
)
from confmat.deciding import compare_scores as compare_scores
from confmat.io.models import compare_frame as compare_frame, compare_files as compare_files

# See.
from confmat.display.plot import (
    plot as plot,
    plot_classes as plot_classes,
    plot_differences as plot_differences,
)
from confmat.display.summary import summary as summary
from confmat.pages.door import html as html
from confmat.display.terminal import show as show
from confmat.display.view import view as view, MatrixView as MatrixView
from confmat.core.tables import Table as Table

# Files.
from confmat.io import (
    load as load,
    save as save,
    read_printed as read_printed,
    recognize as recognize,
)
from confmat.io.samples import examples as examples
from confmat.counting.examples import Examples as Examples

# Tasks.
from confmat.multilabel import count_multilabel as count_multilabel, exact_match as exact_match
from confmat.detection import count_boxes as count_boxes, Boxes as Boxes
from confmat.segmentation import count_masks as count_masks, panoptic as panoptic
from confmat.spans import count_spans as count_spans, Spans as Spans
from confmat.hierarchy import Hierarchy as Hierarchy

# Metrics; all of them are in confmat.metrics.
from confmat.metrics import (
    accuracy as accuracy,
    adjusted_mutual_information as adjusted_mutual_information,
    adjusted_rand_index as adjusted_rand_index,
    balanced_accuracy as balanced_accuracy,
    class_mcc as class_mcc,
    cramer_v as cramer_v,
    detection_prevalence as detection_prevalence,
    diagnostic_odds_ratio as diagnostic_odds_ratio,
    error_rate as error_rate,
    f1 as f1,
    f_beta as f_beta,
    false_discovery_rate as false_discovery_rate,
    false_negative_rate as false_negative_rate,
    false_negatives as false_negatives,
    false_omission_rate as false_omission_rate,
    false_positive_rate as false_positive_rate,
    false_positives as false_positives,
    g_measure as g_measure,
    gwet_ac1 as gwet_ac1,
    informedness as informedness,
    iou as iou,
    jaccard as jaccard,
    kappa as kappa,
    kendall_tau_b as kendall_tau_b,
    krippendorff_alpha as krippendorff_alpha,
    lift as lift,
    markedness as markedness,
    mcc as mcc,
    mean_absolute_error as mean_absolute_error,
    multiclass_g_mean as multiclass_g_mean,
    mutual_information as mutual_information,
    negative_likelihood_ratio as negative_likelihood_ratio,
    negative_predictive_value as negative_predictive_value,
    net_benefit as net_benefit,
    no_information_rate as no_information_rate,
    npv as npv,
    positive_likelihood_ratio as positive_likelihood_ratio,
    ppv as ppv,
    precision as precision,
    prevalence as prevalence,
    recall as recall,
    scott_pi as scott_pi,
    sensitivity as sensitivity,
    specificity as specificity,
    support as support,
    true_negatives as true_negatives,
    true_positives as true_positives,
    v_measure as v_measure,
)

# Errors.
from confmat.core.errors import (
    BudgetError as BudgetError,
    ConfmatError as ConfmatError,
    ConfmatWarning as ConfmatWarning,
    FileError as FileError,
    InputError as InputError,
    LabelError as LabelError,
    MetricError as MetricError,
)

# Public rooms.
from . import (
    costs as costs,
    deciding as deciding,
    detection as detection,
    hierarchy as hierarchy,
    io as io,
    metrics as metrics,
    multilabel as multilabel,
    onedal as onedal,
    segmentation as segmentation,
    spans as spans,
    structure as structure,
)
