"""The front page: every name of `confmat`, once; `__init__.py` reads it too."""

# Values.
from confmat.auditing import Finding as Finding, Findings as Findings
from confmat.comparison import Comparison as Comparison
from confmat.core.cells import Cells as Cells
from confmat.core.labels import Labels as Labels
from confmat.core.matrix import ConfusionMatrix as ConfusionMatrix
from confmat.core.samples import Sample as Sample
from confmat.core.stack import Stack as Stack
from confmat.core.tables import Table as Table
from confmat.counting import Tally as Tally
from confmat.counting.answers import AnswerLog as AnswerLog, Answers as Answers
from confmat.counting.examples import Examples as Examples
from confmat.deciding import Curve as Curve
from confmat.detection import Boxes as Boxes
from confmat.display.view import MatrixView as MatrixView
from confmat.hierarchy import Hierarchy as Hierarchy
from confmat.judging import Judged as Judged
from confmat.intervals import Estimate as Estimate, Estimates as Estimates
from confmat.metrics import Average as Average, Costs as Costs, Metric as Metric
from confmat.reporting import Report as Report
from confmat.spans import Spans as Spans

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

# Count, read, keep.
from confmat.counting import count as count
from confmat.deciding import from_scores as from_scores, thresholds as thresholds
from confmat.detection import count_boxes as count_boxes
from confmat.io import (
    count_files as count_files,
    count_frame as count_frame,
    load as load,
    read_printed as read_printed,
    recognize as recognize,
    save as save,
)
from confmat.io.samples import examples as examples
from confmat.multilabel import count_multilabel as count_multilabel
from confmat.segmentation import count_masks as count_masks
from confmat.spans import count_spans as count_spans

# Ask.
from confmat.auditing import audit as audit, infer as infer
from confmat.comparison import compare as compare, compare_predictions as compare_predictions, mcnemar as mcnemar
from confmat.costs import cost_report as cost_report, expected_cost as expected_cost
from confmat.deciding import (
    average_precision as average_precision,
    best as best,
    pr_curve as pr_curve,
    risk_coverage as risk_coverage,
    roc as roc,
    roc_auc as roc_auc,
    top_k_accuracy as top_k_accuracy,
    unanswered as unanswered,
)
from confmat.intervals import (
    areas as areas,
    estimate_prevalence as estimate_prevalence,
    interval as interval,
    items_needed as items_needed,
    rater_agreement as rater_agreement,
)
from confmat.io.models import compare_files as compare_files, compare_frame as compare_frame
from confmat.io.judges import judged as judged
from confmat.metrics import score as score
from confmat.multilabel import exact_match as exact_match
from confmat.reporting import report as report
from confmat.segmentation import panoptic as panoptic
from confmat.structure import class_groups as class_groups, top_confusions as top_confusions

# See and find.
from confmat._version import __version__ as __version__
from confmat.display.html import html as html
from confmat.display.plot import plot as plot, plot_classes as plot_classes, plot_differences as plot_differences
from confmat.display.terminal import show as show
from confmat.display.view import view as view
from confmat.kernels import kernel_name as kernel_name
from confmat.metrics import AVERAGES as AVERAGES, catalog as catalog, metric as metric

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
    sklearn as sklearn,
    spans as spans,
    structure as structure,
)
