package org.nyala.management.bean;

import java.io.IOException;
import java.nio.file.Path;
import java.rmi.NotBoundException;
import java.rmi.Remote;
import java.rmi.registry.LocateRegistry;
import java.rmi.server.RMIClientSocketFactory;
import java.util.HashMap;
import java.util.Map;
import javax.management.remote.JMXConnector;
import javax.management.remote.rmi.RMIConnector;
import javax.management.remote.rmi.RMIServer;
import javax.net.ssl.SSLContext;
import javax.rmi.ssl.SslRMIClientSocketFactory;
import org.jspecify.annotations.Nullable;
import org.nyala.netty.tls.TrustedCertificates;

/**
 * The JMX port of a server, as a client sees it.
 *
 * <p>Immutable.
 *
 * @param host the name or the address, which the certificate must name
 * @param port the number
 * @param isClear true if connections are not encrypted
 * @param trusted a file of certificates in PEM to trust; null for those that the JVM trusts
 * @param user the name to log in with; null for none
 * @param password its password; null for none
 */
public record RemotePort(
    String host,
    int port,
    boolean isClear,
    @Nullable Path trusted,
    @Nullable String user,
    @Nullable String password) {
  /** The name in the registry. */
  private static final String NAME = "jmxrmi";

  /** Shows nothing of the password. */
  @Override
  public String toString() {
    return host + ":" + port;
  }

  /**
   * Connects to it. RMI takes the certificates to trust from the JVM: those of the first port that
   * is connected to are trusted by all later ones.
   *
   * @throws IOException if it cannot be connected to, or is not trusted
   * @throws SecurityException if it does not admit the user
   */
  public LocalManagement connect() throws IOException {
    if (!isClear && trusted != null) {
      SSLContext.setDefault(TrustedCertificates.context(trusted));
    }
    RMIClientSocketFactory sockets = isClear ? null : new SslRMIClientSocketFactory();
    try {
      Remote stub = LocateRegistry.getRegistry(host, port, sockets).lookup(NAME);
      return LocalManagement.over(connected(stub));
    } catch (NotBoundException | ClassCastException e) {
      throw new IOException("there is no " + NAME + " of JMX", e);
    }
  }

  // The address comes from the user of a command.
  @SuppressWarnings("BanJNDI")
  private JMXConnector connected(Remote stub) throws IOException {
    Map<String, Object> environment = new HashMap<>();
    if (user != null && password != null) {
      environment.put(JMXConnector.CREDENTIALS, new String[] {user, password});
    }
    RMIConnector connector = new RMIConnector((RMIServer) stub, environment);
    connector.connect();
    return connector;
  }
}
