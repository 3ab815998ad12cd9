package org.nyala.management.bean;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import jdk.management.jfr.FlightRecorderMXBean;

/**
 * A connection to the beans of a server: on this machine for the server's own user, as the JVM
 * admits no other, or over its JMX port.
 *
 * <p>Thread-safe.
 */
public final class LocalManagement implements AutoCloseable {
  private final JMXConnector connector;
  private final MBeanServerConnection connection;
  private final boolean isOverPort;
  private final Map<String, String[]> numbersOf = new ConcurrentHashMap<>();

  private LocalManagement(JMXConnector connector, boolean isOverPort) throws IOException {
    this.connector = connector;
    this.isOverPort = isOverPort;
    this.connection = connector.getMBeanServerConnection();
  }

  /**
   * Attaches to a process.
   *
   * @throws IOException if it does not exist, belongs to another user, or is not a JVM that can be
   *     attached to
   */
  public static LocalManagement attach(long pid) throws IOException {
    try {
      VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
      try {
        JMXServiceURL url = new JMXServiceURL(machine.startLocalManagementAgent());
        return new LocalManagement(connect(url), false);
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException e) {
      throw new IOException("cannot attach to process " + pid + ": " + e.getMessage(), e);
    }
  }

  // The address comes from the JVM to which we have attached: no other party controls it.
  @SuppressWarnings("BanJNDI")
  private static JMXConnector connect(JMXServiceURL url) throws IOException {
    return JMXConnectorFactory.connect(url);
  }

  /** Uses a connection to the JMX port of a server, and closes it in the end. */
  static LocalManagement over(JMXConnector connector) throws IOException {
    return new LocalManagement(connector, true);
  }

  /** Returns the bean of the server; calls throw as those of {@link #dispatch} do. */
  public ServerMXBean server() {
    return bean(ServerMXBean.NAME, ServerMXBean.class);
  }

  /**
   * Returns the bean of dispatch; calls throw UndeclaredThrowableException if the server has ended.
   */
  public DispatchMXBean dispatch() {
    return bean(DispatchMXBean.NAME, DispatchMXBean.class);
  }

  /** Returns the bean of contention; calls throw as those of {@link #dispatch} do. */
  public ContentionMXBean contention() {
    return bean(ContentionMXBean.NAME, ContentionMXBean.class);
  }

  /** Returns the bean of operations; calls throw as those of {@link #dispatch} do. */
  public OperationsMXBean operations() {
    return bean(OperationsMXBean.NAME, OperationsMXBean.class);
  }

  /** Returns the bean of the store; calls throw as those of {@link #dispatch} do. */
  public StoreMXBean store() {
    return bean(StoreMXBean.NAME, StoreMXBean.class);
  }

  /** Returns the bean of jobs; calls throw as those of {@link #dispatch} do. */
  public JobsMXBean jobs() {
    return bean(JobsMXBean.NAME, JobsMXBean.class);
  }

  /** Returns the bean of explanations; calls throw as those of {@link #dispatch} do. */
  public ExplainMXBean explain() {
    return bean(ExplainMXBean.NAME, ExplainMXBean.class);
  }

  /** Returns the bean of accounts; calls throw as those of {@link #dispatch} do. */
  public AccountsMXBean accounts() {
    return bean(AccountsMXBean.NAME, AccountsMXBean.class);
  }

  /** Returns the bean of extensions; calls throw as those of {@link #dispatch} do. */
  public ExtensionsMXBean extensions() {
    return bean(ExtensionsMXBean.NAME, ExtensionsMXBean.class);
  }

  /** Returns the bean of findings; calls throw as those of {@link #dispatch} do. */
  public FindingsMXBean findings() {
    return bean(FindingsMXBean.NAME, FindingsMXBean.class);
  }

  /** Returns the bean of advice; calls throw as those of {@link #dispatch} do. */
  public AdviceMXBean advice() {
    return bean(AdviceMXBean.NAME, AdviceMXBean.class);
  }

  /** Returns the bean of the live page; calls throw as those of {@link #dispatch} do. */
  public LiveMXBean live() {
    return bean(LiveMXBean.NAME, LiveMXBean.class);
  }

  /** Returns the bean of copies; calls throw as those of {@link #dispatch} do. */
  public SyncMXBean sync() {
    return bean(SyncMXBean.NAME, SyncMXBean.class);
  }

  /** Returns the bean of connections; calls throw as those of {@link #dispatch} do. */
  public ConnectionsMXBean connections() {
    return bean(ConnectionsMXBean.NAME, ConnectionsMXBean.class);
  }

  /**
   * Returns the attributes of a bean that are numbers, by their names: those of its interface, and
   * the meters of the server that it shows.
   *
   * @throws IOException if the server has ended, or has no such bean
   */
  public Map<String, Long> numbers(String name) throws IOException {
    try {
      ObjectName bean = new ObjectName(name);
      Map<String, Long> numbers = new HashMap<>();
      String[] attributes = numbersOf.get(name);
      if (attributes == null) {
        attributes =
            Stream.of(connection.getMBeanInfo(bean).getAttributes())
                .filter(each -> each.getType().equals("long") || each.getType().equals("int"))
                .map(MBeanAttributeInfo::getName)
                .toArray(String[]::new);
        numbersOf.put(name, attributes);
      }
      for (Attribute each : connection.getAttributes(bean, attributes).asList()) {
        numbers.put(each.getName(), ((Number) each.getValue()).longValue());
      }
      return numbers;
    } catch (JMException e) {
      throw new IOException("the server has no bean " + name, e);
    }
  }

  /**
   * Records in the server's JVM where threads wait for locks.
   *
   * @param seconds the maximum duration
   */
  public Recording recordLocks(int seconds) throws IOException {
    return isOverPort
        ? new PortRecording(recordings(), recordings().startLocks(seconds))
        : FlightRecording.ofLocks(recorder(), seconds);
  }

  /**
   * Records the activity of the server in its JVM.
   *
   * @param seconds the maximum duration
   * @param longerThanMicros omits operations that took no longer
   */
  public Recording recordServer(int seconds, long longerThanMicros) throws IOException {
    return isOverPort
        ? new PortRecording(recordings(), recordings().startServer(seconds, longerThanMicros))
        : FlightRecording.ofServer(recorder(), seconds, longerThanMicros);
  }

  private RecordingMXBean recordings() {
    return bean(RecordingMXBean.NAME, RecordingMXBean.class);
  }

  private FlightRecorderMXBean recorder() {
    return bean(FlightRecording.BEAN, FlightRecorderMXBean.class);
  }

  private <T> T bean(String name, Class<T> type) {
    try {
      return JMX.newMXBeanProxy(connection, new ObjectName(name), type);
    } catch (MalformedObjectNameException e) {
      throw new IllegalArgumentException(name, e);
    }
  }

  /** Disconnects; a server that has ended has done so itself. */
  @Override
  public void close() {
    try {
      connector.close();
    } catch (IOException e) {
      // The server has ended, and the connection with it.
    }
  }
}
