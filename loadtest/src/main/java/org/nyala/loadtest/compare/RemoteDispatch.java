package org.nyala.loadtest.compare;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.util.List;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * The dispatch of a Nyala server on this machine, over JMX. Confined to the thread that compares.
 */
final class RemoteDispatch implements AutoCloseable {
  private static final String NAME = "org.nyala:type=Dispatch";

  private final JMXConnector connector;
  private final MBeanServerConnection connection;
  private final ObjectName name;

  private RemoteDispatch(JMXConnector connector) throws IOException, JMException {
    this.connector = connector;
    this.connection = connector.getMBeanServerConnection();
    this.name = new ObjectName(NAME);
  }

  /** Attaches to a server of this user. */
  static RemoteDispatch attach(long pid) throws IOException, LoadTestException {
    try {
      VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
      try {
        return new RemoteDispatch(connect(new JMXServiceURL(machine.startLocalManagementAgent())));
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException | JMException e) {
      throw new LoadTestException("cannot get into process " + pid + ": " + e.getMessage());
    }
  }

  // The address comes from the JVM that admitted this process: no other party can influence it.
  @SuppressWarnings("BanJNDI")
  private static JMXConnector connect(JMXServiceURL url) throws IOException {
    return JMXConnectorFactory.connect(url);
  }

  /** The strategies that the server offers. */
  List<String> offered() throws IOException, LoadTestException {
    return List.of((String[]) attribute("Strategies"));
  }

  /** The number of times that event loops have polled the kernel for ready connections. */
  long polls() throws IOException, LoadTestException {
    return (Long) attribute("Polls");
  }

  private Object attribute(String attribute) throws IOException, LoadTestException {
    try {
      return connection.getAttribute(name, attribute);
    } catch (JMException e) {
      throw new LoadTestException("cannot read " + attribute + " of " + NAME + ": " + e);
    }
  }

  /** Changes the strategy, and returns when the previous one has ended its operations. */
  void change(String strategy) throws IOException, LoadTestException {
    try {
      connection.invoke(
          name, "switchStrategy", new Object[] {strategy}, new String[] {String.class.getName()});
    } catch (JMException e) {
      throw new LoadTestException("cannot change to strategy " + strategy + ": " + e);
    }
  }

  @Override
  public void close() throws IOException {
    connector.close();
  }
}
