"""Settings: what a statement means, and whether it fails, does not depend on how a cluster is set up.

Nobody can list every setting that changes an answer, and each version of Spark has new ones. So all that a cluster
sets of `spark.sql.` is forgotten in a session of ours, but for a few that say where tables are or how fast they are
read; what Spark's own choice would be is then the same everywhere, and where it is not ours it is pinned.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SQL = "spark.sql."
PINNED = {
    "spark.sql.ansi.enabled": "false",  # what fails is NULL, so that nothing raises on data
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.caseSensitive": "true",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",  # quotients of decimals keep 32 digits before the point
    "spark.sql.variable.substitute": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.lateralColumnAlias.enableImplicitResolution": "false",
    "spark.sql.crossJoin.enabled": "true",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",  # one row adds a folder: it types no column
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.exchange.reuse": "true",  # rows that are counted and weighed are read once
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.adaptive.coalescePartitions.enabled": "true",
    "spark.sql.requireAllClusterKeysForCoPartition": "false",  # rows that are together by unit are so by unit and group
    # whatever is broadcast, or filters a scan while it runs, is gathered by the driver first: units never are
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "-1",
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
}
KEPT = (  # where tables are, and how fast they are read
    "spark.sql.catalog.",
    "spark.sql.defaultCatalog",
    "spark.sql.codegen.",
    "spark.sql.files.maxPartitionBytes",
    "spark.sql.files.openCostInBytes",
    "spark.sql.files.minPartitionNum",
    "spark.sql.files.maxPartitionNum",
    "spark.sql.sources.parallelPartitionDiscovery.",
    "spark.sql.leafNodeDefaultParallelism",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes",
    "spark.sql.broadcastTimeout",
    "spark.sql.redaction.",
)


def pin(session: "SparkSession") -> None:
    """Forget what the cluster sets, and set what must be so.

    Privacy: settings decide whether a row that does not fit is NULL or an error, how texts are compared, and whether
        rows are read once or twice; under those of this file all are as the dialect's proofs assume.
    """
    for word in [row[0] for row in session.sql("SET").collect()]:
        if word.startswith(SQL) and not word.startswith(KEPT) and session.conf.isModifiable(word):
            session.conf.unset(word)
    for word, setting in PINNED.items():
        session.conf.set(word, setting)
