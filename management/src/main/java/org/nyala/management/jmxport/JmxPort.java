package org.nyala.management.jmxport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.rmi.NoSuchObjectException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.RMIClientSocketFactory;
import java.rmi.server.UnicastRemoteObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.MBeanServer;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXServiceURL;
import javax.management.remote.rmi.RMIConnectorServer;
import javax.management.remote.rmi.RMIJRMPServerImpl;
import javax.rmi.ssl.SslRMIClientSocketFactory;
import org.jspecify.annotations.Nullable;
import org.nyala.log.LoginListener;
import org.nyala.netty.tls.TlsSockets;

/**
 * The port for JMX clients: registry and connector on one port of one address.
 *
 * <p>Thread-safe. Input of clients, passwords first of all, is read with {@link SerialFilters}. The
 * address that clients connect to after the registry is that of the system property {@code
 * java.rmi.server.hostname}, which must be set when the program is started.
 */
public final class JmxPort implements AutoCloseable {
  private static final String NAME = "jmxrmi";

  private final JmxListener listener;
  private final Registry registry;
  private final JMXConnectorServer connector;
  private final @Nullable JmxLogin login;

  private JmxPort(
      JmxListener listener,
      Registry registry,
      JMXConnectorServer connector,
      @Nullable JmxLogin login) {
    this.login = login;
    this.listener = listener;
    this.registry = registry;
    this.connector = connector;
  }

  /**
   * Opens the port.
   *
   * @param address the address; port 0 is any free port
   * @param accounts the accounts; if there are none, every client may read
   * @param bounds the bounds of one client
   * @param tls encrypts connections, and is not closed by this port; null for none
   * @param logins learns of who comes in, and who does not
   * @param beans the beans to be shown
   * @throws IOException if it cannot listen on the address
   */
  public static JmxPort start(
      InetSocketAddress address,
      List<JmxAccount> accounts,
      JmxBounds bounds,
      @Nullable TlsSockets tls,
      LoginListener logins,
      MBeanServer beans)
      throws IOException {
    JmxListener listener = JmxListener.open(address, bounds, tls);
    @Nullable RMIClientSocketFactory clients = tls == null ? null : new SslRMIClientSocketFactory();
    boolean complete = false;
    try {
      int port = listener.address().getPort();
      @Nullable JmxLogin login =
          accounts.isEmpty() ? null : new JmxLogin(accounts, listener::peer, logins);
      Map<String, Object> environment = environment(login);
      Registry registry = LocateRegistry.createRegistry(port, clients, listener);
      RMIJRMPServerImpl server = new RMIJRMPServerImpl(port, clients, listener, environment);
      RMIConnectorServer connector =
          new RMIConnectorServer(
              new JMXServiceURL("rmi", listener.address().getAddress().getHostAddress(), port),
              environment,
              server,
              beans);
      connector.setMBeanServerForwarder(JmxAccess.guard(!accounts.isEmpty(), listener::cameIn));
      connector.start();
      registry.rebind(NAME, server.toStub());
      complete = true;
      return new JmxPort(listener, registry, connector, login);
    } finally {
      if (!complete) {
        listener.close();
      }
    }
  }

  private static Map<String, Object> environment(@Nullable JmxLogin login) {
    Map<String, Object> environment = new HashMap<>();
    environment.put(RMIConnectorServer.CREDENTIALS_FILTER_PATTERN, SerialFilters.CREDENTIALS);
    environment.put(RMIConnectorServer.SERIAL_FILTER_PATTERN, SerialFilters.ARGUMENTS);
    if (login != null) {
      environment.put(JMXConnectorServer.AUTHENTICATOR, login);
    }
    return environment;
  }

  /**
   * Sets the accounts; connected clients stay connected.
   *
   * @return false if that is impossible: between accounts and none
   */
  public boolean reconfigure(List<JmxAccount> others) {
    JmxLogin known = login;
    if (known == null || others.isEmpty()) {
      return known == null && others.isEmpty();
    }
    known.letIn(others);
    return true;
  }

  /** Returns the address that it listens on, with the actual port. */
  public InetSocketAddress address() {
    return listener.address();
  }

  /** Returns the URL for JMX clients. */
  public String url() {
    InetSocketAddress address = address();
    String host = address.getAddress().getHostAddress();
    String shown = host.indexOf(':') < 0 ? host : "[" + host + "]";
    return "service:jmx:rmi:///jndi/rmi://" + shown + ":" + address.getPort() + "/" + NAME;
  }

  /** Ends all connections. Idempotent. */
  @Override
  public void close() throws IOException {
    try (listener) {
      connector.stop();
      UnicastRemoteObject.unexportObject(registry, true);
    } catch (NoSuchObjectException e) {
      // Closed already.
    }
  }
}
