package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.AddRequest;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.management.bean.ConnectionsMXBean;
import org.nyala.process.ServerProcess;

/** A server with a small heap of which clients hold much, when a collection finds that. */
class FullHeapTest {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final int HOLDERS = 8;
  private static final int MEBIBYTE = 1 << 20;

  /** A share that the server exceeds by itself: everything that clients hold is ended. */
  private static final String CONFIGURATION =
      """
      management.jmx = "127.0.0.1:0"
      limits.memory { ownerPercent = 100, connectionPercent = 100, fullPercent = 10 }
      """;

  @TempDir Path folder;

  /** Holds a mebibyte of the heap in an open transaction, unless a collection has ended it. */
  private static void hold(LDAPConnection client) throws LDAPException {
    StartTransactionExtendedResult begun =
        (StartTransactionExtendedResult)
            client.processExtendedOperation(new StartTransactionExtendedRequest());
    AddRequest add =
        new AddRequest(
            "cn=large," + SUFFIX,
            new Attribute("objectClass", "device"),
            new Attribute("cn", "large"),
            new Attribute("description", "x".repeat(MEBIBYTE)));
    add.addControl(new TransactionSpecificationRequestControl(begun.getTransactionID()));
    try {
      assertThat(client.add(add).getResultCode()).isEqualTo(ResultCode.SUCCESS);
    } catch (LDAPException e) {
      assertThat(e.getResultCode()).isEqualTo(ResultCode.SERVER_DOWN);
    }
  }

  private static void collect(ServerProcess server) throws Exception {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    Process process =
        new ProcessBuilder(jcmd, Long.toString(server.pid()), "GC.run")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(process.waitFor()).isZero();
  }

  private static long number(JMXConnector jmx, String attribute) throws Exception {
    return (long)
        jmx.getMBeanServerConnection()
            .getAttribute(new ObjectName(ConnectionsMXBean.NAME), attribute);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Serial", "G1", "Parallel"})
  void shouldEndWhoHoldsTheMost(String collector) throws Exception {
    String[] options = {
      "-Xmx128m", "-XX:+ExitOnOutOfMemoryError", "-XX:-UseSerialGC", "-XX:+Use" + collector + "GC",
    };
    try (ServerProcess server = ServerProcess.start(folder, CONFIGURATION, options);
        JMXConnector jmx = server.connect();
        LDAPConnection neighbour = server.client("cn=admin", "admin")) {
      neighbour.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
      List<LDAPConnection> holders = new ArrayList<>();
      for (int i = 0; i < HOLDERS; i++) {
        holders.add(server.client("cn=admin", "admin"));
        hold(holders.getLast());
      }
      collect(server);
      eventually("nothing is held", () -> number(jmx, "HeldBytes") == 0);
      assertThat(number(jmx, "MemoryDisconnections")).isEqualTo(HOLDERS);
      for (int i = 0; i < 100; i++) {
        assertThat(neighbour.search(SUFFIX, SearchScope.BASE, "(dc=example)").getEntryCount())
            .isEqualTo(1);
      }
      holders.forEach(LDAPConnection::close);
      // The server frees memory first, and writes the line then.
      eventually("it is logged", () -> server.log().contains("the heap is nearly full"));
      assertThat(server.log())
          .contains("limits.memory.fullPercent")
          .doesNotContain("OutOfMemory", "out of memory");
    }
  }
}
