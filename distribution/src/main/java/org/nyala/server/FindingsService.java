package org.nyala.server;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.nyala.advice.AdviceService;
import org.nyala.config.NyalaConfig;
import org.nyala.lmdb.StoreStatus;
import org.nyala.management.AlarmFindings;
import org.nyala.management.ServerComponents;
import org.nyala.management.bean.FindingsMXBean;
import org.nyala.management.bean.JobsMXBean;
import org.nyala.management.bean.NoticeKind;

/**
 * Examines the running server: alarms, descriptors, growth of the data, and what its traffic needs.
 *
 * <p>Thread-safe. One examination is made at a time.
 */
final class FindingsService implements FindingsMXBean {
  private static final String DESCRIPTORS = "descriptors";

  private final ServerComponents parts;
  private final NyalaConfig configuration;
  private final AdviceService advice;
  private final JobsMXBean jobs;
  private final Instant start;
  private final StoreStatus.Space atStart;

  /** Remembers the size of the store, by which growth is measured later. */
  FindingsService(
      ServerComponents parts, NyalaConfig configuration, AdviceService advice, JobsMXBean jobs) {
    this.parts = parts;
    this.configuration = configuration;
    this.advice = advice;
    this.jobs = jobs;
    this.start = Instant.now();
    this.atStart = parts.store().status().space();
  }

  @Override
  public List<Finding> examine() {
    List<Finding> findings = new ArrayList<>(AlarmFindings.of(parts.notices().current()));
    findings.addAll(advice());
    return findings;
  }

  /** Returns the findings that are no alarms. */
  synchronized List<Finding> advice() {
    List<Finding> findings = new ArrayList<>();
    if (parts.readOnly().getAsBoolean()) {
      findings.add(
          new Finding(Weight.ADVICE, "changes", "every change is refused", "nyala read-only off"));
    }
    String shortage =
        RunningServer.ConnectionRoom.shortage(parts.wire().connectionRoom(), configuration);
    findings.add(
        shortage.isEmpty()
            ? new Finding(Weight.OK, DESCRIPTORS, "they suffice for limits.connections", "")
            : new Finding(Weight.WARNING, DESCRIPTORS, shortage, "ulimit -n"));
    if (parts.notices().isRaised(NoticeKind.STORE_FAILS)) {
      return findings;
    }
    StoreStatus.Space now = parts.store().status().space();
    new DataGrowth(
            now.usedBytes() - atStart.usedBytes(),
            Duration.between(start, Instant.now()),
            now.diskFreeBytes())
        .finding("the data file has grown", "since the server was started")
        .ifPresent(findings::add);
    findings.addAll(advice.traffic());
    findings.addAll(advice.system());
    lookAtBackups(findings);
    return findings;
  }

  private void lookAtBackups(List<Finding> findings) {
    for (JobsMXBean.Job job : jobs.getJobs()) {
      if (job.work().startsWith("backup ") && job.state().equals(JobsMXBean.DONE)) {
        findings.add(
            new Finding(
                Weight.OK,
                "backups",
                job.work() + " was begun at " + Instant.ofEpochMilli(job.startMillis()),
                ""));
      }
    }
  }
}
