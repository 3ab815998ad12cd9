package org.nyala.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.extended.CancelOperation;
import org.nyala.management.bean.ConnectionsMXBean;
import org.nyala.process.ServerProcess;

/**
 * Sends values that hold millions of elements to a server with a small heap: in controls and in an
 * extended request, from several connections of an ordinary user at once.
 */
@Timeout(300)
class OpaqueValuesTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String ANN = "uid=ann," + TOP;
  private static final int CONNECTIONS = 4;

  /** Some 2,300,000 empty values: many more than one request may have. */
  private static final int LARGE = 4_600_000;

  /** Some 10,000: as many as there is memory for, and more than any list may have. */
  private static final int SMALLER = 20_000;

  private static final byte[] NOTHING = {};
  private static final int MODIFY = 0x66;
  private static final int EXTENDED = 0x77;

  @TempDir Path folder;

  private ServerProcess server;
  private JMXConnector jmx;
  private LDAPConnection neighbour;

  @BeforeEach
  void serve() throws Exception {
    server =
        ServerProcess.start(
            folder, "management.jmx = \"127.0.0.1:0\"", "-Xmx128m", "-XX:MaxDirectMemorySize=128m");
    jmx = server.connect();
    neighbour = server.client("cn=admin", "admin");
    neighbour.add("dn: " + TOP, "objectClass: domain", "dc: example");
    neighbour.add(
        "dn: " + ANN,
        "objectClass: inetOrgPerson",
        "uid: ann",
        "cn: ann",
        "sn: ann",
        "userPassword: ann");
  }

  @AfterEach
  void stop() throws Exception {
    neighbour.close();
    jmx.close();
    server.close();
  }

  private static byte[] empty(int bytes) {
    byte[] values = new byte[bytes / 2 * 2];
    for (int i = 0; i < values.length; i += 2) {
      values[i] = Ber.STRING;
    }
    return values;
  }

  private static byte[] keys(int bytes) {
    return Requests.each(bytes / 4, _ -> Ber.of(Ber.SEQUENCE, Ber.of(Ber.STRING, NOTHING)));
  }

  private static byte[] message(byte[] operation, ControlType type, byte[] value) {
    byte[] control =
        Ber.of(
            Ber.SEQUENCE,
            Ber.text(Ber.STRING, type.oid()),
            Ber.flag(Ber.BOOLEAN, true),
            Ber.of(Ber.STRING, value));
    return Ber.of(Ber.SEQUENCE, Ber.number(Ber.INTEGER, 2), operation, Ber.of(0xa0, control));
  }

  private static byte[] preRead(int bytes) {
    byte[] modify = Ber.of(MODIFY, Ber.text(Ber.STRING, ANN), Ber.of(Ber.SEQUENCE, NOTHING));
    return message(modify, ControlType.PRE_READ, Ber.of(Ber.SEQUENCE, empty(bytes)));
  }

  private static byte[] search(ControlType type, byte[] value) {
    return Requests.Search.of(TOP, Requests.BASE, Requests.present("objectClass"))
        .withControl(type.oid(), value)
        .message(2, "1.1");
  }

  private static byte[] effectiveRights(int bytes) {
    byte[] subject = Ber.text(Ber.STRING, "dn:");
    return search(
        ControlType.EFFECTIVE_RIGHTS,
        Ber.of(Ber.SEQUENCE, subject, Ber.of(Ber.SEQUENCE, empty(bytes))));
  }

  private static byte[] sort(int bytes) {
    return search(ControlType.SORT, Ber.of(Ber.SEQUENCE, keys(bytes)));
  }

  private static byte[] extended(int bytes) {
    byte[] value = Ber.of(Ber.SEQUENCE, empty(bytes));
    byte[] request = Ber.of(EXTENDED, Ber.text(0x80, CancelOperation.OID), Ber.of(0x81, value));
    return Ber.of(Ber.SEQUENCE, Ber.number(Ber.INTEGER, 2), request);
  }

  private void check(byte[] request, ResultCode expected) throws Exception {
    List<Wire> wires = new ArrayList<>();
    try {
      for (int i = 0; i < CONNECTIONS; i++) {
        Wire wire = new Wire("127.0.0.1", server.port());
        wires.add(wire);
        wire.timeout(60_000);
        wire.send(Requests.bind(1, ANN, "ann"));
        assertThat(wire.read().code()).isZero();
      }
      for (Wire wire : wires) {
        wire.send(request);
      }
      for (Wire wire : wires) {
        assertThat(wire.read().code()).isEqualTo(expected.code());
      }
    } finally {
      wires.forEach(Wire::close);
    }
    assertThat(neighbour.search(TOP, SearchScope.BASE, "(dc=example)").getEntryCount()).isOne();
    ObjectName connections = new ObjectName(ConnectionsMXBean.NAME);
    eventually(
        "nothing is held",
        () ->
            Long.valueOf(0)
                .equals(jmx.getMBeanServerConnection().getAttribute(connections, "HeldBytes")));
    assertThat(server.log()).doesNotContain("OutOfMemory", "out of memory", "internal error");
  }

  @Test
  void shouldRefuseMoreElementsThanOneRequestMayHave() throws Exception {
    check(preRead(LARGE), ResultCode.ADMIN_LIMIT_EXCEEDED);
    check(effectiveRights(LARGE), ResultCode.ADMIN_LIMIT_EXCEEDED);
    check(sort(LARGE), ResultCode.ADMIN_LIMIT_EXCEEDED);
    check(extended(LARGE), ResultCode.ADMIN_LIMIT_EXCEEDED);
  }

  @Test
  void shouldRefuseListsThatAreLongerThanTheirLimit() throws Exception {
    check(preRead(SMALLER), ResultCode.ADMIN_LIMIT_EXCEEDED);
    check(effectiveRights(SMALLER), ResultCode.ADMIN_LIMIT_EXCEEDED);
    check(sort(SMALLER), ResultCode.ADMIN_LIMIT_EXCEEDED);
    check(extended(SMALLER), ResultCode.PROTOCOL_ERROR);
  }
}
