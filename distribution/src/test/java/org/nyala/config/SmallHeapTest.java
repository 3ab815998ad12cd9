package org.nyala.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.asn1.ASN1Boolean;
import com.unboundid.asn1.ASN1Element;
import com.unboundid.asn1.ASN1Enumerated;
import com.unboundid.asn1.ASN1Integer;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.asn1.ASN1Sequence;
import com.unboundid.asn1.ASN1Set;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.management.bean.ConnectionsMXBean;
import org.nyala.netty.WireSettings;
import org.nyala.process.ServerProcess;

/**
 * Tests a server whose heap is a fraction of the memory that the configured limits allow clients,
 * with clients that use it: requests of anonymous clients alone can take 50,000 connections times
 * 64 KiB, 24 times the heap of 128 MiB.
 */
class SmallHeapTest {
  private static final String SUFFIX = "dc=example,dc=com";

  /** The least memory that the limits allow clients, in multiples of the heap. */
  private static final int LEAST_RATIO = 4;

  private static final String[] SMALL = {"-Xmx128m", "-XX:MaxDirectMemorySize=128m"};

  @TempDir Path folder;

  private final List<Socket> attackers = new ArrayList<>();

  /** A load that is sent without waiting for answers. */
  private interface Attack {
    void send(Socket socket) throws IOException;
  }

  private void survive(int connections, Attack attack) throws Exception {
    try (ServerProcess server =
            ServerProcess.start(folder, "management.jmx = \"127.0.0.1:0\"", SMALL);
        JMXConnector jmx = server.connect();
        LDAPConnection neighbour = server.client("cn=admin", "admin")) {
      assertThat(bytesOfRequestsAllowed() / heapBytes(jmx)).isGreaterThanOrEqualTo(LEAST_RATIO);
      neighbour.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
      for (int i = 0; i < connections; i++) {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
        attackers.add(socket);
        Thread.ofVirtual().start(() -> send(attack, socket));
      }
      for (int i = 0; i < 300; i++) {
        assertThat(neighbour.search(SUFFIX, SearchScope.BASE, "(dc=example)").getEntryCount())
            .isEqualTo(1);
      }
      for (Socket socket : attackers) {
        socket.close();
      }
      eventually(
          "nothing is held",
          () ->
              Long.valueOf(0)
                  .equals(
                      jmx.getMBeanServerConnection()
                          .getAttribute(new ObjectName(ConnectionsMXBean.NAME), "HeldBytes")));
      assertThat(neighbour.search(SUFFIX, SearchScope.BASE, "(dc=example)").getEntryCount())
          .isEqualTo(1);
      assertThat(server.log()).doesNotContain("OutOfMemory", "out of memory");
    }
  }

  private long bytesOfRequestsAllowed() {
    WireSettings wire = ConfigurationFile.read(folder.resolve("test.conf"), folder).wire();
    return (long) wire.connections().all() * wire.pduLimits().anonymousBytes();
  }

  private static long heapBytes(JMXConnector jmx) throws IOException {
    return ManagementFactory.newPlatformMXBeanProxy(
            jmx.getMBeanServerConnection(),
            ManagementFactory.MEMORY_MXBEAN_NAME,
            MemoryMXBean.class)
        .getHeapMemoryUsage()
        .getMax();
  }

  private static void send(Attack attack, Socket socket) {
    try {
      attack.send(socket);
    } catch (IOException e) {
      // The server has sent a notice of disconnection.
      assertThat(socket.isConnected()).isTrue();
    }
  }

  private static byte[] message(int id, ASN1Element... rest) {
    List<ASN1Element> elements = new ArrayList<>(List.of(new ASN1Integer(id)));
    elements.addAll(List.of(rest));
    return new ASN1Sequence(elements).encode();
  }

  private static byte[] bind(int id, String dn, String password) {
    return message(
        id,
        new ASN1Sequence(
            (byte) 0x60,
            new ASN1Integer(3),
            new ASN1OctetString(dn),
            new ASN1OctetString((byte) 0x80, password)));
  }

  private static byte[] modify(int id, int values) {
    ASN1Element[] empty = new ASN1Element[values];
    Arrays.fill(empty, new ASN1OctetString());
    return message(
        id,
        new ASN1Sequence(
            (byte) 0x66,
            new ASN1OctetString(SUFFIX),
            new ASN1Sequence(
                new ASN1Sequence(
                    new ASN1Enumerated(0),
                    new ASN1Sequence(new ASN1OctetString("cn"), new ASN1Set(empty))))));
  }

  private static byte[] search(int id, String base, ASN1Element filter, ASN1Element... rest) {
    List<ASN1Element> elements = new ArrayList<>();
    elements.add(
        new ASN1Sequence(
            (byte) 0x63,
            new ASN1OctetString(base),
            new ASN1Enumerated(base.equals(SUFFIX) ? 2 : 0),
            new ASN1Enumerated(0),
            new ASN1Integer(0),
            new ASN1Integer(0),
            new ASN1Boolean(false),
            filter,
            new ASN1Sequence(new ASN1OctetString("*"), new ASN1OctetString("+"))));
    elements.addAll(List.of(rest));
    return message(id, elements.toArray(ASN1Element[]::new));
  }

  @Test
  void shouldSurviveRequestsThatGrowWhenTheyAreDecoded() throws Exception {
    byte[] large = modify(2, 32_000);
    survive(
        64,
        socket -> {
          for (int i = 0; i < 40; i++) {
            socket.getOutputStream().write(bind(1, "cn=admin," + SUFFIX, "wrong"));
            socket.getOutputStream().write(large);
          }
        });
  }

  @Test
  void shouldSurvivePersistentSearchesForMuch() throws Exception {
    ASN1Element filter =
        new ASN1Sequence(
            (byte) 0xa3, new ASN1OctetString("cn"), new ASN1OctetString(new byte[15 << 20]));
    ASN1Element control =
        new ASN1Sequence(
            (byte) 0xa0,
            new ASN1Sequence(
                new ASN1OctetString("2.16.840.1.113730.3.4.3"),
                new ASN1OctetString(
                    new ASN1Sequence(
                            new ASN1Integer(15), new ASN1Boolean(true), new ASN1Boolean(true))
                        .encode())));
    byte[] large = search(2, SUFFIX, filter, control);
    survive(
        8,
        socket -> {
          socket.getOutputStream().write(bind(1, "cn=admin", "admin"));
          assertThat(socket.getInputStream().read()).isEqualTo(0x30);
          socket.getOutputStream().write(large);
        });
  }

  @Test
  void shouldSurviveManyWhoReadNothing() throws Exception {
    byte[] schema =
        search(1, "cn=Subschema", new ASN1OctetString((byte) 0x87, "objectClass".getBytes(UTF_8)));
    survive(
        600,
        socket -> {
          for (int i = 0; i < 60; i++) {
            socket.getOutputStream().write(schema);
          }
        });
  }

  @Test
  void shouldSurviveManyMessagesInPart() throws Exception {
    byte[] large = Arrays.copyOf(new byte[] {0x30, (byte) 0x83, -1, -1, 0, 2, 1, 2}, 8 << 20);
    byte[] small = Arrays.copyOf(new byte[] {0x30, (byte) 0x82, -1, 0, 2, 1, 1}, 64_000);
    survive(
        1200,
        socket -> {
          if (socket.getLocalPort() % 16 == 0) {
            socket.getOutputStream().write(bind(1, "cn=admin", "admin"));
            assertThat(socket.getInputStream().read()).isEqualTo(0x30);
            socket.getOutputStream().write(large);
          } else {
            socket.getOutputStream().write(small);
          }
        });
  }
}
