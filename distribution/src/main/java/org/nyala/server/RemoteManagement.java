package org.nyala.server;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import javax.management.MBeanServer;
import org.jspecify.annotations.Nullable;
import org.nyala.config.ListenAddress;
import org.nyala.config.NyalaConfig;
import org.nyala.management.jmxport.JmxPort;

/** The port for JMX clients, where the configuration asks for one. Thread-safe. */
public final class RemoteManagement implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(RemoteManagement.class.getName());

  /** Milliseconds in which a connection has to say that it speaks RMI; a minute otherwise. */
  private static final String HANDSHAKE = "sun.rmi.transport.tcp.handshakeTimeout";

  private static final String HANDSHAKE_MILLIS = "10000";

  /** Read by RMI when it is first used: where clients are told to come back to. */
  private static final String HOST = "java.rmi.server.hostname";

  private final @Nullable JmxPort port;

  private RemoteManagement(@Nullable JmxPort port) {
    this.port = port;
  }

  /**
   * Opens the port.
   *
   * @throws IOException when the address cannot be listened on
   */
  public static RemoteManagement open(NyalaConfig.Jmx jmx, MBeanServer beans) throws IOException {
    if (jmx.address().isEmpty()) {
      return new RemoteManagement(null);
    }
    ListenAddress address = jmx.address().get();
    InetAddress host = InetAddress.getByName(address.host());
    // Who has set it knows better, as where addresses are translated on the way.
    if (!host.isAnyLocalAddress() && System.getProperty(HOST) == null) {
      System.setProperty(HOST, host.getHostAddress());
    }
    if (System.getProperty(HANDSHAKE) == null) {
      System.setProperty(HANDSHAKE, HANDSHAKE_MILLIS);
    }
    JmxPort port =
        JmxPort.start(
            new InetSocketAddress(host, address.port()), jmx.accounts(), jmx.bounds(), beans);
    LOG.log(
        Level.INFO,
        "JMX: {0}{1}",
        port.url(),
        jmx.accounts().isEmpty() ? ", to read, for every user of this machine" : "");
    return new RemoteManagement(port);
  }

  /** Lets those in from now on that a configuration names, where there is a port with accounts. */
  public void reconfigure(NyalaConfig.Jmx jmx) {
    if (port != null && !port.reconfigure(jmx.accounts())) {
      LOG.log(Level.DEBUG, "a port with accounts and one without differ: that takes a restart");
    }
  }

  @Override
  public void close() throws IOException {
    if (port != null) {
      port.close();
    }
  }
}
