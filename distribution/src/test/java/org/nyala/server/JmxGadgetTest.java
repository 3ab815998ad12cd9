package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.tools.attach.VirtualMachine;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.io.ObjectStreamConstants;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.rmi.Remote;
import java.rmi.server.ObjID;
import java.rmi.server.RemoteObject;
import java.rmi.server.RemoteServer;
import java.rmi.server.UID;
import java.rmi.server.UnicastRemoteObject;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;
import javax.management.Attribute;
import javax.management.AttributeChangeNotificationFilter;
import javax.management.AttributeList;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.NotificationFilterSupport;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import javax.management.Query;
import javax.management.QueryExp;
import javax.management.openmbean.CompositeDataSupport;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.SimpleType;
import javax.management.relation.MBeanServerNotificationFilter;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.management.bean.ConnectionsMXBean;
import org.nyala.management.bean.DispatchMXBean;
import org.nyala.management.bean.LocalManagement;
import org.nyala.management.bean.ServerMXBean;
import org.nyala.process.Listening;
import org.nyala.process.ServerProcess;

/** Sends objects with side effects of deserialisation to a server's JMX port, and harmless ones. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JmxGadgetTest {
  private ServerProcess open;
  private ServerProcess guarded;

  @BeforeAll
  void start(@TempDir Path folder, @TempDir Path other) throws Exception {
    open = ServerProcess.start(folder, "management.jmx = \"127.0.0.1:0\"");
    guarded =
        ServerProcess.start(
            other,
            """
            management { jmx = "127.0.0.1:0", jmxAdmin { user = chief, password = geheim } }
            """);
  }

  @AfterAll
  void stop() throws Exception {
    open.close();
    guarded.close();
  }

  /**
   * Returns an object whose deserialisation makes a JVM listen on a port of every address, as its
   * class describes.
   */
  private static Object listener() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeShort(ObjectStreamConstants.STREAM_MAGIC);
    out.writeShort(ObjectStreamConstants.STREAM_VERSION);
    out.writeByte(ObjectStreamConstants.TC_OBJECT);
    describe(out, UnicastRemoteObject.class, ObjectStreamConstants.SC_SERIALIZABLE, 3);
    out.writeByte('I');
    out.writeUTF("port");
    for (String factory : List.of("csf", "ssf")) {
      String type = factory.equals("csf") ? "Client" : "Server";
      out.writeByte('L');
      out.writeUTF(factory);
      out.writeByte(ObjectStreamConstants.TC_STRING);
      out.writeUTF("Ljava/rmi/server/RMI" + type + "SocketFactory;");
    }
    out.writeByte(ObjectStreamConstants.TC_ENDBLOCKDATA);
    describe(out, RemoteServer.class, ObjectStreamConstants.SC_SERIALIZABLE, 0);
    out.writeByte(ObjectStreamConstants.TC_ENDBLOCKDATA);
    int custom = ObjectStreamConstants.SC_SERIALIZABLE | ObjectStreamConstants.SC_WRITE_METHOD;
    describe(out, RemoteObject.class, custom, 0);
    out.writeByte(ObjectStreamConstants.TC_ENDBLOCKDATA);
    out.writeByte(ObjectStreamConstants.TC_NULL);
    String reference = "UnicastServerRef";
    out.writeByte(ObjectStreamConstants.TC_BLOCKDATA);
    out.writeByte(Short.BYTES + reference.length());
    out.writeUTF(reference);
    out.writeByte(ObjectStreamConstants.TC_ENDBLOCKDATA);
    out.writeInt(0);
    out.writeByte(ObjectStreamConstants.TC_NULL);
    out.writeByte(ObjectStreamConstants.TC_NULL);
    Remote read;
    try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      read = (Remote) in.readObject();
    }
    // An object that is not exported here is sent as it is, rather than as a stub.
    assertThat(UnicastRemoteObject.unexportObject(read, true)).isTrue();
    return read;
  }

  private static void describe(DataOutputStream out, Class<?> type, int flags, int fields)
      throws IOException {
    out.writeByte(ObjectStreamConstants.TC_CLASSDESC);
    out.writeUTF(type.getName());
    out.writeLong(ObjectStreamClass.lookup(type).getSerialVersionUID());
    out.writeByte(flags);
    out.writeShort(fields);
  }

  /** A reference to a remote object, whose deserialisation makes a JVM connect to its host. */
  private static final class Elsewhere implements Remote {}

  private static List<Object> gadgets(Remote stub) throws Exception {
    Map<Object, Object> map = new HashMap<>();
    map.put(new HashSet<>(List.of("a")), "b");
    return List.of(
        listener(),
        stub,
        new ObjID(),
        new UID(),
        map,
        new HashSet<>(List.of("a")),
        new Elsewhere[0]);
  }

  @Test
  void shouldRefuseWhatActsWhileItIsRead() throws Exception {
    Elsewhere elsewhere = new Elsewhere();
    Remote stub = UnicastRemoteObject.exportObject(elsewhere, 0);
    try (JMXConnector client = open.connect()) {
      MBeanServerConnection beans = client.getMBeanServerConnection();
      ObjectName own = new ObjectName(DispatchMXBean.NAME);
      Set<String> before = Listening.of(open.pid());
      for (Object gadget : gadgets(stub)) {
        Object[] arguments = {gadget};
        String[] signature = {"java.lang.String"};
        assertThatThrownBy(() -> beans.invoke(own, "switchStrategy", arguments, signature))
            .as(gadget.getClass().getName())
            .isInstanceOf(InvalidClassException.class)
            .hasMessageContaining("REJECTED");
        assertThatThrownBy(() -> beans.setAttribute(own, new Attribute("Strategy", gadget)))
            .as(gadget.getClass().getName())
            .isInstanceOf(InvalidClassException.class)
            .hasMessageContaining("REJECTED");
        assertThatThrownBy(() -> open.connect(gadget))
            .as(gadget.getClass().getName())
            .hasRootCauseInstanceOf(InvalidClassException.class);
        assertThatThrownBy(() -> guarded.connect(gadget))
            .as(gadget.getClass().getName())
            .hasRootCauseInstanceOf(InvalidClassException.class);
      }
      assertThat(Listening.of(open.pid())).isEqualTo(before);
    } finally {
      UnicastRemoteObject.unexportObject(elsewhere, true);
    }
  }

  @Test
  void shouldRefuseThemInWhatComesInLocallyToo() throws Exception {
    try (LocalManagement local = LocalManagement.attach(guarded.pid())) {
      assertThat(local.server().getPid()).isEqualTo(guarded.pid());
    }
    try (JMXConnector client = attach(guarded.pid())) {
      MBeanServerConnection beans = client.getMBeanServerConnection();
      Set<String> before = Listening.of(guarded.pid());
      Object[] arguments = {listener()};
      String[] signature = {"java.lang.String"};
      ObjectName own = new ObjectName(DispatchMXBean.NAME);
      assertThatThrownBy(() -> beans.invoke(own, "switchStrategy", arguments, signature))
          .isInstanceOf(InvalidClassException.class)
          .hasMessageContaining("REJECTED");
      assertThat(Listening.of(guarded.pid())).isEqualTo(before);
    }
  }

  @Test
  void shouldTakeWhatClientsOrdinarilySend() throws Exception {
    try (JMXConnector client = guarded.connect(new String[] {"chief", "geheim"})) {
      MBeanServerConnection beans = client.getMBeanServerConnection();
      ObjectName memory = new ObjectName("java.lang:type=Memory");
      AttributeList both = new AttributeList();
      both.add(new Attribute("Verbose", false));
      assertThat(beans.setAttributes(memory, both)).hasSize(1);
      assertThat(beans.getAttributes(memory, new String[] {"Verbose", "HeapMemoryUsage"}))
          .hasSize(2);
      ThreadMXBean threads =
          ManagementFactory.newPlatformMXBeanProxy(
              beans, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
      assertThat(threads.getThreadInfo(threads.getAllThreadIds(), 3)).isNotEmpty();
      assertThat(threads.dumpAllThreads(true, true)).isNotEmpty();
      assertThat(
              JMX.newMXBeanProxy(
                      beans, new ObjectName(ConnectionsMXBean.NAME), ConnectionsMXBean.class)
                  .list(10))
          .isEmpty();
      beans.invoke(
          new ObjectName("java.util.logging:type=Logging"),
          "setLoggerLevel",
          new Object[] {"", "INFO"},
          new String[] {"java.lang.String", "java.lang.String"});
      for (QueryExp query : queries()) {
        assertThat(beans.queryNames(new ObjectName("*:*"), query)).isNotNull();
      }
      for (Object value : values()) {
        ObjectName own = new ObjectName(ServerMXBean.NAME);
        // Deserialised, and rejected only for its type.
        assertThatThrownBy(() -> beans.setAttribute(own, new Attribute("Pid", value)))
            .as(value.getClass().getName())
            .isNotInstanceOf(InvalidClassException.class)
            .isNotInstanceOf(IOException.class);
      }
    }
  }

  @Test
  void shouldTakeFiltersOfNotifications() throws Exception {
    try (JMXConnector client = open.connect()) {
      MBeanServerConnection beans = client.getMBeanServerConnection();
      NotificationFilterSupport types = new NotificationFilterSupport();
      types.enableType("java.management");
      AttributeChangeNotificationFilter attributes = new AttributeChangeNotificationFilter();
      attributes.enableAttribute("Verbose");
      MBeanServerNotificationFilter registered = new MBeanServerNotificationFilter();
      registered.enableAllObjectNames();
      NotificationListener listener = (_, _) -> {};
      ObjectName memory = new ObjectName("java.lang:type=Memory");
      ObjectName delegate = new ObjectName("JMImplementation:type=MBeanServerDelegate");
      beans.addNotificationListener(memory, listener, types, null);
      beans.addNotificationListener(memory, listener, attributes, null);
      beans.addNotificationListener(delegate, listener, registered, null);
      ObjectName jobs = new ObjectName("org.nyala:type=Server");
      beans.addNotificationListener(jobs, listener, null, null);
      beans.removeNotificationListener(jobs, listener);
    }
  }

  /** Attaches as the server's own user, for calls that are not known beforehand. */
  private static JMXConnector attach(long pid) throws Exception {
    VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
    try {
      JMXServiceURL url = new JMXServiceURL(machine.startLocalManagementAgent());
      return ServerProcess.connect(url, Map.of());
    } finally {
      machine.detach();
    }
  }

  private static List<QueryExp> queries() {
    return List.of(
        Query.isInstanceOf(Query.value("java.lang.management.MemoryMXBean")),
        Query.and(
            Query.eq(Query.attr("Verbose"), Query.value(false)),
            Query.not(Query.match(Query.attr("Name"), Query.value("x*")))),
        Query.or(
            Query.between(Query.attr("Pid"), Query.value(1), Query.value(9L)),
            Query.in(Query.attr("Pid"), new javax.management.ValueExp[] {Query.value(1.5)})),
        Query.gt(Query.plus(Query.attr("a.B", "Pid"), Query.value(1)), Query.classattr()),
        Query.anySubString(Query.attr("Name"), Query.value("x")));
  }

  @SuppressWarnings({"JavaUtilDate", "JdkObsolete"}) // The JMX API uses these old classes.
  private static List<Object> values() throws Exception {
    CompositeType type =
        new CompositeType(
            "t", "t", new String[] {"a"}, new String[] {"a"}, new OpenType<?>[] {SimpleType.LONG});
    return List.of(
        1,
        2L,
        3.0,
        4f,
        (short) 5,
        (byte) 6,
        'c',
        true,
        "text",
        new BigDecimal("1.5"),
        BigInteger.TEN,
        new Date(0),
        new ObjectName("a:b=c"),
        new int[] {1},
        new String[] {"x"},
        new Long[] {1L},
        new ArrayList<>(List.of("x")),
        new Vector<>(List.of("y")),
        new TreeMap<>(Map.of("k", "v")),
        new CompositeDataSupport(type, Map.of("a", 1L)));
  }
}
