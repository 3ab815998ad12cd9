package org.nyala.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.InstantSource;
import java.util.Arrays;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.DirectoryServer;
import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.management.bean.DispatchMXBean;

class DispatchManagementTest {
  private final MBeanServer registry = MBeanServerFactory.newMBeanServer();
  private final DirectoryServer server =
      new DirectoryServer(
          _ ->
              (_, _) -> {
                throw new LdapOperationException(ResultCode.UNWILLING_TO_PERFORM, "not asked");
              },
          strategy(DispatchStrategies.DEFAULT),
          ServerLimits.DEFAULT,
          System::nanoTime);
  private final Notifications notices = new Notifications(InstantSource.system());
  private final ManagementBeans beans = new ManagementBeans(registry, notices);
  private ObjectName name;

  private static DispatchStrategy strategy(String name) {
    return DispatchStrategies.create(
        name, DispatchSettings.automatic(Thread.ofPlatform().daemon().factory(), System::nanoTime));
  }

  @BeforeEach
  void register() throws Exception {
    beans.with(new DispatchManagement(server, DispatchManagementTest::strategy, notices));
    name = new ObjectName(DispatchMXBean.NAME);
  }

  @AfterEach
  void close() {
    beans.close();
    server.close();
  }

  private Object change(String strategy) throws Exception {
    return registry.invoke(
        name, "switchStrategy", new Object[] {strategy}, new String[] {String.class.getName()});
  }

  @Test
  void shouldShowAndChangeTheStrategy() throws Exception {
    for (String strategy : DispatchStrategies.OFFERED) {
      Object before = registry.getAttribute(name, "Strategy");
      assertThat(change(strategy)).isEqualTo(before);
      assertThat(registry.getAttribute(name, "Strategy")).isEqualTo(strategy);
      assertThat(server.strategy().name()).isEqualTo(strategy);
    }
    assertThat(registry.getAttribute(name, "Switches"))
        .isEqualTo((long) DispatchStrategies.OFFERED.size());
    assertThat(registry.getAttribute(name, "InFlight")).isEqualTo(0);
  }

  @Test
  void shouldChangeNothingForAStrategyThatThereIsNot() throws Exception {
    assertThatThrownBy(() -> change("clairvoyant"))
        .isInstanceOf(RuntimeMBeanException.class)
        .hasRootCauseInstanceOf(IllegalArgumentException.class)
        .rootCause()
        .hasMessageContaining("clairvoyant")
        .hasMessageContaining(DispatchStrategies.DEFAULT);
    assertThat(registry.getAttribute(name, "Strategy")).isEqualTo(DispatchStrategies.DEFAULT);
    assertThat(registry.getAttribute(name, "Switches")).isEqualTo(0L);
  }

  @Test
  void shouldDescribeAllThatItShows() throws Exception {
    MBeanInfo info = registry.getMBeanInfo(name);
    assertThat(info.getDescription()).contains("operations run");
    assertThat(Arrays.stream(info.getAttributes()).map(MBeanAttributeInfo::getDescription))
        .hasSizeGreaterThan(4)
        .allSatisfy(text -> assertThat(text).endsWith(".").contains(" "));
    assertThat(Arrays.stream(info.getOperations()).map(MBeanOperationInfo::getDescription))
        .hasSize(1)
        .allSatisfy(text -> assertThat(text).endsWith(".").contains(" "));
    assertThat(info.getOperations()[0].getSignature()[0].getDescription())
        .isEqualTo("One of Strategies.");
  }

  @Test
  void shouldRefuseASecondServerInTheSameRegistry() {
    ManagementBeans others = new ManagementBeans(registry, notices);
    assertThatThrownBy(
            () ->
                others.with(
                    new DispatchManagement(server, DispatchManagementTest::strategy, notices)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(DispatchMXBean.NAME);
    others.close();
    assertThat(registry.isRegistered(name)).isTrue();
  }

  @Test
  void shouldBeGoneWhenClosed() {
    beans.close();
    assertThat(registry.isRegistered(name)).isFalse();
    beans.close();
  }
}
