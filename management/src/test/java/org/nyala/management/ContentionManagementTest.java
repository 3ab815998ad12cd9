package org.nyala.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.nyala.core.Patience.eventually;

import java.time.InstantSource;
import java.util.Arrays;
import javax.management.JMX;
import javax.management.MBeanFeatureInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.DirectoryServer;
import org.nyala.core.contention.Contention;
import org.nyala.core.contention.Counts;
import org.nyala.core.contention.LockSite;
import org.nyala.core.contention.WaitSite;
import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.management.bean.ContentionMXBean;
import org.nyala.management.bean.ContentionMXBean.Measurement;

class ContentionManagementTest {
  private final MBeanServer registry = MBeanServerFactory.newMBeanServer();
  private final Contention contention = new Contention(System::nanoTime);
  private final DirectoryServer server =
      new DirectoryServer(
          _ ->
              (_, _) -> {
                throw new LdapOperationException(ResultCode.UNWILLING_TO_PERFORM, "not asked");
              },
          strategy("striped"),
          ServerLimits.DEFAULT,
          System::nanoTime);
  private final ContentionManagement management = new ContentionManagement(server, contention);
  private final ManagementBeans beans =
      new ManagementBeans(registry, new Notifications(InstantSource.system()));
  private ObjectName name;

  /** The bean as a command sees it. */
  private ContentionMXBean bean;

  private static DispatchStrategy strategy(String name) {
    return DispatchStrategies.create(
        name, DispatchSettings.automatic(Thread.ofPlatform().daemon().factory(), System::nanoTime));
  }

  @BeforeEach
  void register() throws Exception {
    beans.with(management);
    name = new ObjectName(ContentionMXBean.NAME);
    bean = JMX.newMXBeanProxy(registry, name, ContentionMXBean.class);
  }

  @AfterEach
  void close() {
    beans.close();
    management.close();
    server.close();
  }

  @Test
  void shouldMeasureBetweenStartAndStop() {
    LockSite lock = contention.lock("a lock");
    WaitSite queue = contention.waits("a queue");
    assertThat(bean.read().number()).isZero();
    assertThat(bean.isMeasuring()).isFalse();
    long number = bean.start(3600);
    assertThat(number).isEqualTo(1);
    assertThat(bean.isMeasuring()).isTrue();
    lock.lock();
    lock.unlock();
    queue.signalled();
    assertThat(bean.read().running()).isTrue();
    server.metrics().operationsCompleted().add(5);
    server.switchTo(strategy("run-to-completion"));
    Measurement ended = bean.stop(number);
    assertThat(ended.running()).isFalse();
    assertThat(ended.strategies()).containsExactly("striped", "run-to-completion");
    assertThat(ended.operations()).isEqualTo(5);
    assertThat(ended.processors()).isEqualTo(Runtime.getRuntime().availableProcessors());
    assertThat(ended.counts().locks()).extracting(Counts.Lock::site).containsExactly("a lock");
    assertThat(ended.counts().waits()).containsExactly(new Counts.Wait("a queue", 0, 1, 0, 0, 0));
    assertThat(bean.isMeasuring()).isFalse();
    // It stays as it was, for late observers.
    lock.lock();
    lock.unlock();
    assertThat(bean.stop(number)).isEqualTo(ended);
    assertThat(bean.read()).isEqualTo(ended);
  }

  @Test
  void shouldEndByItself() throws Exception {
    long number = bean.start(1);
    eventually("the measurement has ended", () -> !bean.isMeasuring());
    assertThat(bean.read().counts().nanos()).isGreaterThanOrEqualTo(1_000_000_000L);
    assertThat(bean.start(3600)).isEqualTo(number + 1);
    assertThatIllegalStateException()
        .isThrownBy(() -> bean.stop(number))
        .withMessage("measurement 1 is not the last one");
    assertThat(bean.isMeasuring()).isTrue();
  }

  @Test
  void shouldRefuseASecondMeasurementAndWrongTimes() {
    for (int seconds : new int[] {0, -1, 3601}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> bean.start(seconds))
          .withMessageContaining("1 to 3600");
    }
    long number = bean.start(3600);
    assertThatIllegalStateException()
        .isThrownBy(() -> bean.start(1))
        .withMessage("a measurement of contention runs already");
    assertThat(bean.stop(number).running()).isFalse();
  }

  @Test
  void shouldEndWithTheServer() {
    bean.start(3600);
    management.close();
    assertThat(bean.isMeasuring()).isFalse();
    assertThat(contention.start()).isTrue();
  }

  @Test
  void shouldDescribeAllThatItShows() throws Exception {
    MBeanInfo info = registry.getMBeanInfo(name);
    assertThat(info.getDescription()).contains("locks and queues");
    assertThat(Arrays.stream(info.getAttributes()).map(MBeanFeatureInfo::getDescription))
        .hasSize(1)
        .allSatisfy(text -> assertThat(text).endsWith(".").contains(" "));
    assertThat(Arrays.stream(info.getOperations()).map(MBeanFeatureInfo::getDescription))
        .hasSize(3)
        .allSatisfy(text -> assertThat(text).endsWith(".").contains(" "));
  }
}
