package org.nyala.loadtest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.management.ObjectName;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.LoadTestException;

/** Beans of a server in this process. */
class JmxSourceTest {
  private JMXConnectorServer server;

  /** A bean with numbers and without. */
  public interface ExampleMBean {
    long getOperationsTotal();

    int getOpenConnections();

    String getName();

    double getBroken();
  }

  /** The bean. */
  public static final class Example implements ExampleMBean {
    @Override
    public long getOperationsTotal() {
      return 42;
    }

    @Override
    public int getOpenConnections() {
      return 7;
    }

    @Override
    public String getName() {
      return "1";
    }

    @Override
    public double getBroken() {
      throw new IllegalStateException("on purpose");
    }
  }

  @BeforeEach
  void start() throws Exception {
    ManagementFactory.getPlatformMBeanServer()
        .registerMBean(new Example(), new ObjectName("org.nyala.example:type=Example"));
    server =
        JMXConnectorServerFactory.newJMXConnectorServer(
            new JMXServiceURL("service:jmx:rmi://"),
            null,
            ManagementFactory.getPlatformMBeanServer());
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
    ManagementFactory.getPlatformMBeanServer()
        .unregisterMBean(new ObjectName("org.nyala.example:type=Example"));
  }

  @Test
  void shouldReadTheBeansOfAPattern() throws Exception {
    JmxSource source =
        new JmxSource(server.getAddress() + "#org.nyala.example:*", Account.ANONYMOUS);
    try (source) {
      assertThat(source.read())
          .isEqualTo(
              Map.of(
                  new Metric("org.nyala.example:type=Example OperationsTotal", true), 42.0,
                  new Metric("org.nyala.example:type=Example OpenConnections", false), 7.0));
    }
  }

  @Test
  void shouldReadMemoryAndCollectors() throws Exception {
    try (JmxSource source = new JmxSource(server.getAddress().toString(), Account.ANONYMOUS)) {
      assertThat(source.read())
          .containsKey(new Metric("java.lang:type=Memory HeapMemoryUsage.used", false))
          .containsKey(new Metric("java.lang:type=OperatingSystem ProcessCpuTime", true))
          .anySatisfy(
              (metric, _) -> {
                assertThat(metric.name()).startsWith("java.lang:name=").endsWith("CollectionCount");
                assertThat(metric.isCounter()).isTrue();
              });
    }
  }

  @Test
  void shouldSayThatThereIsNoServer() throws Exception {
    String url = server.getAddress().toString();
    server.stop();
    try (JmxSource source = new JmxSource(url, Account.ANONYMOUS)) {
      assertThatThrownBy(source::read)
          .isInstanceOf(LoadTestException.class)
          .hasMessageStartingWith("it does not answer (");
    }
    assertThatThrownBy(() -> new JmxSource("service:jmx:", Account.ANONYMOUS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("--server-metrics: expected a URL such as");
  }

  @Test
  void shouldSayThatNoBeanHasTheName() throws Exception {
    JmxSource source = new JmxSource(server.getAddress() + "#no.such:*", Account.ANONYMOUS);
    try (source) {
      assertThatThrownBy(source::read).hasMessage("it has no beans with numbers of these names");
    }
  }

  /** A port that takes connections, and says nothing. */
  @Test
  void shouldNotWaitForASilentPort() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        JmxSource source =
            new JmxSource(
                "service:jmx:rmi:///jndi/rmi://127.0.0.1:" + silent.getLocalPort() + "/jmxrmi",
                Account.ANONYMOUS,
                0.3)) {
      long start = System.nanoTime();
      assertThatThrownBy(source::read)
          .isInstanceOf(LoadTestException.class)
          .hasMessage("no answer in 0.3 s");
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(20));
    }
  }
}
