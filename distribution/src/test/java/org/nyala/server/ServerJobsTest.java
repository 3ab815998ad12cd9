package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.Notification;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.error.ExitCode;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.management.ManagementBeans;
import org.nyala.management.bean.JobsMXBean;
import org.nyala.management.bean.NoticeKind;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;

/** Tests long work that a JMX client requests of a running server. */
@Timeout(300)
class ServerJobsTest {
  private static final String SUFFIX = "dc=example,dc=com";

  @TempDir Path folder;

  private final MBeanServer registry = MBeanServerFactory.newMBeanServer();
  private final List<Notification> heard = new CopyOnWriteArrayList<>();
  private ManagementBeans beans;
  private RunningServer server;
  private JobsMXBean jobs;

  @BeforeEach
  void start() throws Exception {
    server = LocalServer.start(folder, "uniqueness = [{ attributes = [uid] }]");
    beans = new ManagementBeans(registry, server.served().notices());
    beans.with(server.jobs());
    registry.addNotificationListener(
        new ObjectName(JobsMXBean.NAME), (notification, _) -> heard.add(notification), null, null);
    jobs = JMX.newMXBeanProxy(registry, new ObjectName(JobsMXBean.NAME), JobsMXBean.class);
    try (LDAPConnection client = LocalServer.connectAsRoot(server)) {
      client.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
      for (int i = 0; i < 20; i++) {
        client.add("dn: ou=" + i + "," + SUFFIX, "objectClass: organizationalUnit");
      }
    }
  }

  @AfterEach
  void stop() {
    beans.close();
    server.close();
  }

  private JobsMXBean.Job end(long number) throws Exception {
    List<JobsMXBean.Job> ended = new ArrayList<>();
    eventually(
        "the end of job " + number,
        () ->
            jobs.getJobs().stream()
                .filter(job -> job.number() == number && !job.state().equals(JobsMXBean.RUNNING))
                .anyMatch(ended::add));
    JobsMXBean.Job job = ended.getFirst();
    assertThat(job.endMillis()).isPositive();
    return job;
  }

  @Test
  void shouldChangeIndexes() throws Exception {
    JobsMXBean.Job added = end(jobs.addIndex("ou:pres"));
    assertThat(added.number()).isEqualTo(1);
    assertThat(added.work()).isEqualTo("index add ou:pres");
    assertThat(added.state()).isEqualTo(JobsMXBean.DONE);
    assertThat(added.message()).startsWith("done: ");
    assertThat(server.served().store().indexes().toString()).contains("ou:eq,pres");
    assertThat(end(jobs.rebuildIndex("ou")).state()).isEqualTo(JobsMXBean.DONE);
    JobsMXBean.Job dropped = end(jobs.dropIndex("ou"));
    assertThat(dropped.number()).isEqualTo(3);
    assertThat(dropped.state()).isEqualTo(JobsMXBean.DONE);
    assertThat(server.served().store().indexes().toString()).doesNotContain("ou:");
    assertThat(jobs.getRunning()).isZero();
  }

  @Test
  void shouldRefuseWhatCannotBe() {
    for (String wrong : new String[] {"nosuch:eq", "ou:best", "entryDN:eq"}) {
      assertThatIllegalArgumentException().isThrownBy(() -> jobs.addIndex(wrong));
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> jobs.dropIndex("uid:eq"))
        .withMessageContaining("uniqueness needs the index uid:eq");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> jobs.backUp("relative/folder"))
        .withMessageContaining("absolute");
    assertThat(jobs.getJobs()).isEmpty();
  }

  @Test
  void shouldNotForgetWhatGoesOn() throws Exception {
    Path full = Files.createDirectory(folder.resolve("full"));
    Files.writeString(full.resolve("file"), "in the way");
    LmdbBackend store = server.served().store();
    long running = jobs.addIndex("ou:pres");
    WriteTransaction write = store.beginWrite();
    while (store.indexProgress().isEmpty()) {
      // The job was faster: tries again.
      write.close();
      assertThat(end(jobs.dropIndex("ou:pres")).state()).isEqualTo(JobsMXBean.DONE);
      running = jobs.addIndex("ou:pres");
      write = store.beginWrite();
    }
    // The job has to wait for the right to write.
    try (WriteTransaction _ = write) {
      for (int i = 0; i < JobsMXBean.REMEMBERED + 10; i++) {
        assertThat(end(jobs.backUp(full.toString())).state()).isEqualTo(JobsMXBean.FAILED);
      }
      assertThat(jobs.getJobs()).hasSize(JobsMXBean.REMEMBERED);
      assertThat(jobs.getJobs().getFirst().number()).isEqualTo(running);
      assertThat(jobs.getRunning()).isEqualTo(1);
      assertThatIllegalStateException()
          .isThrownBy(jobs::compact)
          .withMessage("'index add ou:pres' goes on: compact when it has ended");
    }
    assertThat(end(running).state()).isEqualTo(JobsMXBean.DONE);
  }

  @Test
  void shouldCompactAndRefuseOtherJobsMeanwhile() throws Exception {
    long number;
    try (WriteTransaction _ = server.served().store().beginWrite()) {
      // It has to wait for the right to write.
      number = jobs.compact();
      assertThatIllegalStateException()
          .isThrownBy(jobs::compact)
          .withMessage("'compact' goes on: compact when it has ended");
      assertThatIllegalStateException()
          .isThrownBy(() -> jobs.backUp(folder.resolve("backup").toString()))
          .withMessage("a compaction goes on already");
      assertThatIllegalStateException()
          .isThrownBy(() -> jobs.addIndex("ou:pres"))
          .withMessage("a compaction goes on already");
    }
    JobsMXBean.Job job = end(number);
    assertThat(job.state()).as(job.message()).isEqualTo(JobsMXBean.DONE);
    assertThat(job.message()).startsWith("compacted ");
    assertThat(end(jobs.backUp(folder.resolve("backup").toString())).state())
        .isEqualTo(JobsMXBean.DONE);
    assertThat(server.served().store().entryCount()).isEqualTo(21);
  }

  @Test
  void shouldBackUp() throws Exception {
    Path target = folder.resolve("backup");
    JobsMXBean.Job job = end(jobs.backUp(target.toString()));
    assertThat(job.state()).as(job.message()).isEqualTo(JobsMXBean.DONE);
    assertThat(job.message()).isEqualTo("backed up 21 entries");
    eventually("the end is reported", () -> heard.size() == 1);
    JobsMXBean.Job again = end(jobs.backUp(target.toString()));
    assertThat(again.state()).isEqualTo(JobsMXBean.FAILED);
    assertThat(again.message()).contains("is not empty");
    eventually("both ends are reported", () -> heard.size() == 2);
    assertThat(heard)
        .extracting(Notification::getType)
        .containsExactly(NoticeKind.JOB_DONE.type(), NoticeKind.JOB_FAILED.type());
    assertThat(heard.getFirst().getMessage())
        .isEqualTo("backup " + target + ": backed up 21 entries");
    LocalCommands nyala = new LocalCommands();
    String other = folder.resolve("other").toString();
    assertThat(nyala.run("restore", target.toString(), "--data", other))
        .as(nyala.err())
        .isEqualTo(ExitCode.OK);
    assertThat(nyala.err()).startsWith("changes after the backup are lost").hasLineCount(1);
    assertThat(nyala.out()).startsWith("restored 21 entries");
  }
}
