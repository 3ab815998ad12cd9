package org.nyala.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServerConnection;
import javax.management.Notification;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.management.bean.ConnectionsMXBean;
import org.nyala.management.bean.LocalManagement;
import org.nyala.process.ServerProcess;

/** Tests a client that requests much and reads nothing. */
class SlowClientTest {
  private static final String SUFFIX = "dc=example,dc=com";

  @TempDir Path folder;

  private final BlockingQueue<Notification> heard = new LinkedBlockingQueue<>();

  @Test
  void shouldBeSeenAndClosedAndKeepNobodyElseWaiting() throws Exception {
    String configuration =
        "management.jmx = \"127.0.0.1:0\", limits.writeStallTimeoutSeconds = 3600";
    try (ServerProcess server = ServerProcess.start(folder, configuration);
        JMXConnector jmx = server.connect();
        LDAPConnection other =
            new LDAPConnection("127.0.0.1", server.port(), "cn=admin", "admin")) {
      MBeanServerConnection beans = jmx.getMBeanServerConnection();
      ObjectName connections = new ObjectName(ConnectionsMXBean.NAME);
      beans.addNotificationListener(connections, (told, _) -> heard.add(told), null, null);
      other.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
      for (int i = 0; i < 8; i++) {
        other.add(
            "dn: ou=" + i + "," + SUFFIX,
            "objectClass: organizationalUnit",
            "description: " + "x".repeat(1 << 20));
      }
      try (Socket slow = askForMuch(server.port())) {
        eventually(
            "it is waited for",
            () -> Long.valueOf(1).equals(beans.getAttribute(connections, "AwaitingClients")));
        assertThat(beans.getAttribute(connections, "Stalled")).isEqualTo(0L);
        assertThat(other.search(SUFFIX, SearchScope.SUB, "(ou=7)").getEntryCount()).isEqualTo(1);
        try (LocalManagement local = LocalManagement.attach(server.pid())) {
          assertThat(local.server().changeLimit("writeStallTimeoutSeconds", 1)).isEqualTo(3600);
        }
        Notification told = heard.poll(60, TimeUnit.SECONDS);
        assertThat(told).isNotNull();
        assertThat(told.getType()).isEqualTo("org.nyala.connections.stalled");
        assertThat(told.getUserData()).isEqualTo(Map.of("connections", 1L));
        assertThat(beans.getAttribute(connections, "Stalled")).isEqualTo(1L);
        assertThat(slow.isInputShutdown()).isFalse();
        assertThat(other.search(SUFFIX, SearchScope.SUB, "(ou=7)").getEntryCount()).isEqualTo(1);
        eventually(
            "it is gone",
            () -> Long.valueOf(0).equals(beans.getAttribute(connections, "AwaitingClients")));
      }
    }
  }

  private static Socket askForMuch(int port) throws Exception {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4096);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    OutputStream out = socket.getOutputStream();
    out.write(new LDAPMessage(1, new BindRequestProtocolOp("cn=admin", "admin")).encode().encode());
    // Its answer is read first: requests behind a bind wait for it.
    assertThat(socket.getInputStream().read()).isEqualTo(0x30);
    for (int message = 2; message < 12; message++) {
      out.write(
          new LDAPMessage(
                  message,
                  new SearchRequestProtocolOp(
                      SUFFIX,
                      SearchScope.SUB,
                      DereferencePolicy.NEVER,
                      0,
                      0,
                      false,
                      Filter.createPresenceFilter("objectClass"),
                      List.of()))
              .encode()
              .encode());
    }
    return socket;
  }
}
