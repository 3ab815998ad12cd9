package org.nyala.server;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import javax.management.MBeanServer;
import org.jspecify.annotations.Nullable;
import org.nyala.config.ListenAddress;
import org.nyala.config.NyalaConfig;
import org.nyala.log.LoginListener;
import org.nyala.management.jmxport.JmxPort;
import org.nyala.netty.tls.TlsSockets;

/** The port for JMX clients, if it is configured. Thread-safe. */
public final class RemoteManagement implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(RemoteManagement.class.getName());

  /** The milliseconds in which a connection must begin to speak RMI; a minute otherwise. */
  private static final String HANDSHAKE = "sun.rmi.transport.tcp.handshakeTimeout";

  private static final String HANDSHAKE_MILLIS = "10000";

  /** The host name for clients, which RMI reads when it is first used. */
  private static final String HOST = "java.rmi.server.hostname";

  private final @Nullable JmxPort port;

  private RemoteManagement(@Nullable JmxPort port) {
    this.port = port;
  }

  /**
   * Opens the port.
   *
   * @param tls encrypts connections; null for none
   * @param logins learns of who comes in, and who does not
   * @throws IOException if it cannot listen on the address
   */
  public static RemoteManagement open(
      NyalaConfig.Jmx jmx, @Nullable TlsSockets tls, LoginListener logins, MBeanServer beans)
      throws IOException {
    if (jmx.address().isEmpty()) {
      return new RemoteManagement(null);
    }
    ListenAddress address = jmx.address().get();
    InetAddress host = InetAddress.getByName(address.host());
    // A value set by the administrator has precedence, for example behind address translation.
    if (!host.isAnyLocalAddress() && System.getProperty(HOST) == null) {
      System.setProperty(HOST, host.getHostAddress());
    }
    if (System.getProperty(HANDSHAKE) == null) {
      System.setProperty(HANDSHAKE, HANDSHAKE_MILLIS);
    }
    JmxPort port =
        JmxPort.start(
            new InetSocketAddress(host, address.port()),
            jmx.accounts(),
            jmx.bounds(),
            tls,
            logins,
            beans);
    LOG.log(
        Level.INFO,
        "JMX: {0}{1}{2}",
        port.url(),
        tls == null ? "" : ", encrypted",
        jmx.accounts().isEmpty() ? ", to read, for every user of this machine" : "");
    if (tls == null && !host.isLoopbackAddress()) {
      LOG.log(Level.WARNING, "JMX: passwords cross the network in clear text: see jmxTls");
    }
    return new RemoteManagement(port);
  }

  /** Sets the accounts of a configuration, if there is a port with accounts. */
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
