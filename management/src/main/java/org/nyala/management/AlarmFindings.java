package org.nyala.management;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.nyala.core.backend.Backend;
import org.nyala.lmdb.StoreStatus;
import org.nyala.management.bean.FindingsMXBean.Finding;
import org.nyala.management.bean.FindingsMXBean.Weight;
import org.nyala.management.bean.NoticeKind;

/**
 * Alarms as findings: their weights, areas, and the commands that mend them. What is raised of a
 * server that runs holds of a store without one as well, and is told in the same words.
 *
 * <p>Stateless.
 */
public final class AlarmFindings {
  private static final String DISK = "disk";
  private static final String CHANGES = "changes";
  private static final String STORE = "store";
  private static final String CLIENTS = "clients";
  private static final String CERTIFICATES = "certificates";
  private static final String CLOCK = "clock";
  private static final String REPLICATION = "replication";
  private static final String CLUSTER = "cluster";

  private static final String FREE_SPACE = "df -h";
  private static final String VERIFY = "nyala verify";
  private static final String COMPACT = "nyala compact";
  private static final String TLS_CHECK = "nyala tls check";
  private static final String SYNC_STATUS = "nyala sync status";
  private static final String CLUSTER_STATUS = "nyala cluster status";
  private static final String TOP = "nyala top";
  private static final String SLOW = "nyala slow";

  private AlarmFindings() {}

  /** Returns the findings for alarms that are raised. */
  public static List<Finding> of(Map<NoticeKind, String> alarms) {
    List<Finding> findings = new ArrayList<>();
    alarms.forEach((kind, text) -> findings.add(of(kind, text)));
    return findings;
  }

  /** Returns the findings about the space of a store that no server serves. */
  public static List<Finding> ofSpace(StoreStatus.Space space, WatchSettings settings) {
    return of(StoreWatch.alarms(space, settings));
  }

  /**
   * Returns the finding about changes with times far ahead of the clock; none if there are none.
   */
  public static List<Finding> ofNumbers(Backend store, Instant now) {
    CopyWatch.NumbersAhead ahead = CopyWatch.NumbersAhead.of(store, now);
    return ahead.contexts().isEmpty()
        ? List.of()
        : List.of(of(NoticeKind.NUMBERS_AHEAD, ahead.sentence()));
  }

  private static Finding of(NoticeKind kind, String text) {
    return switch (kind) {
      case MAP_NEARLY_FULL -> new Finding(Weight.WARNING, DISK, text, COMPACT);
      case DISK_LOW -> new Finding(Weight.WARNING, DISK, text, FREE_SPACE);
      case DISK_SCARCE -> new Finding(Weight.FAULT, DISK, text, FREE_SPACE);
      case CHANGES_FAIL -> new Finding(Weight.FAULT, CHANGES, text, FREE_SPACE);
      case STORE_FAILS, STORE_DAMAGED -> new Finding(Weight.FAULT, STORE, text, VERIFY);
      case STORE_MOVED -> new Finding(Weight.FAULT, STORE, text, "nyala status");
      case CHANGES_REFUSED -> new Finding(Weight.WARNING, CHANGES, text, TOP);
      case LONG_READ -> new Finding(Weight.WARNING, STORE, text, "nyala top --operations");
      case CLIENTS_REFUSED -> new Finding(Weight.FAULT, CLIENTS, text, TOP);
      case CERTIFICATE_UNUSABLE -> new Finding(Weight.FAULT, CERTIFICATES, text, TLS_CHECK);
      case CERTIFICATE_ENDS -> new Finding(Weight.WARNING, CERTIFICATES, text, TLS_CHECK);
      case QUEUE_SATURATED -> new Finding(Weight.WARNING, CLIENTS, text, SLOW);
      case COPY_GUARDED, COPY_FAILS, CONSUMER_REFUSED ->
          new Finding(Weight.WARNING, REPLICATION, text, SYNC_STATUS);
      case CLOCK_LEAPT -> new Finding(Weight.FAULT, CLOCK, text, "timedatectl status");
      case NUMBERS_AHEAD -> new Finding(Weight.FAULT, CLOCK, text, "nyala export -o FILE");
      case WRITER_SUPERSEDED -> new Finding(Weight.FAULT, REPLICATION, text, SYNC_STATUS);
      case CLUSTER_LEADERLESS, CLUSTER_STOPPED ->
          new Finding(Weight.FAULT, CLUSTER, text, CLUSTER_STATUS);
      case CLUSTER_SILENT,
          CLUSTER_STUCK,
          CLUSTER_BEHIND,
          CLUSTER_NOT_APPLYING,
          CLUSTER_BARE_MAJORITY ->
          new Finding(Weight.WARNING, CLUSTER, text, CLUSTER_STATUS);
      case EXTENSION_TROUBLE -> new Finding(Weight.WARNING, "extensions", text, "nyala extensions");
      case CLIENTS_STALLED, STRATEGY_SWITCHED, OPERATIONS_DEMOTED, JOB_DONE, JOB_FAILED ->
          new Finding(Weight.ADVICE, CLIENTS, text, TOP);
    };
  }
}
