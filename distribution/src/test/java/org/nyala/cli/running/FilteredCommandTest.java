package org.nyala.cli.running;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedModifyRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Tests {@code nyala modify} and {@code nyala delete}. */
@Timeout(300)
class FilteredCommandTest {
  private static final String TOP = "dc=example,dc=com";
  private static final int USERS = 250;

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();
  private RunningServer server;
  private LDAPConnection root;

  @BeforeEach
  void fill() throws Exception {
    Files.writeString(folder.resolve("password"), "admin\n");
    server = LocalServer.start(folder, "limits { writeQueue = 16 }, indexes { uid = [eq] }");
    root = LocalServer.connectAsRoot(server);
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    for (int i = 0; i < USERS; i++) {
      root.add(
          user(i),
          new Attribute("objectClass", "inetOrgPerson"),
          new Attribute("cn", "User " + i),
          new Attribute("sn", "User"),
          new Attribute("employeeType", i % 2 == 0 ? "guest" : "staff"),
          new Attribute("description", i < 100 ? "new" : "old"));
    }
  }

  @AfterEach
  void stop() {
    root.close();
    server.close();
  }

  private static String user(int i) {
    return "uid=u" + i + "," + TOP;
  }

  private int run(String... arguments) {
    List<String> all = new ArrayList<>(Arrays.asList(arguments));
    all.addAll(
        List.of(
            "--url=ldap://127.0.0.1:" + LocalServer.port(server),
            "--base=" + TOP,
            "--bind-dn=cn=admin",
            "--password-file=" + folder.resolve("password"),
            "--page=20"));
    return commands.run(folder.resolve("test.conf"), all.toArray(String[]::new));
  }

  private String out(String... arguments) {
    assertThat(run(arguments)).as(commands.err()).isEqualTo(ExitCode.OK);
    return commands.out();
  }

  private int count(String filter) throws LDAPException {
    return root.search(TOP, SearchScope.SUB, filter, "1.1").getEntryCount();
  }

  @Test
  void shouldChangeWhatMatchesAndPassOverTheRest() throws Exception {
    String[] change = {
      "modify", "--filter=(employeeType=guest)", "--replace=description=new", "--add=title=Guest"
    };
    String[] trial = Arrays.copyOf(change, change.length + 1);
    trial[change.length] = "--dry-run";
    assertThat(out(trial))
        .isEqualTo("125 entries match, of which 0 are as they are to be; nothing was changed\n");
    assertThat(count("(title=Guest)")).isZero();
    assertThat(out(change)).isEqualTo("125 entries were changed, 0 were as they are to be\n");
    assertThat(count("(&(title=Guest)(description=new))")).isEqualTo(125);
    assertThat(count("(description=old)")).isEqualTo(75);
    // As after an interruption: those that are done are left as they are.
    root.modify(
        "dn: " + user(2),
        "changetype: modify",
        "delete: title",
        "-",
        "add: description",
        "description: further");
    String before = root.getEntry(user(4), "entryCSN").getAttributeValue("entryCSN");
    assertThat(out(change)).isEqualTo("1 entries were changed, 124 were as they are to be\n");
    assertThat(root.getEntry(user(4), "entryCSN").getAttributeValue("entryCSN")).isEqualTo(before);
    assertThat(root.getEntry(user(2)).getAttributeValues("description")).containsExactly("new");
    assertThat(out("modify", "--filter=(title=*)", "--remove=title", "--remove=employeeType=guest"))
        .isEqualTo("125 entries were changed, 0 were as they are to be\n");
    assertThat(count("(|(title=*)(employeeType=guest))")).isZero();
  }

  @Test
  void shouldReportWhatTheServerRefuses() throws Exception {
    assertThat(run("modify", "--filter=(uid=u1)", "--remove=sn")).isEqualTo(ExitCode.FAILED);
    assertThat(commands.err()).contains(user(1) + ": 65", "1 could not be changed");
    assertThat(run("modify", "--filter=(uid=*)", "--remove=sn", "--failures=5"))
        .isEqualTo(ExitCode.FAILED);
    assertThat(commands.err()).contains("5 changes have failed (--failures); 0 entries are done");
    assertThat(count("(sn=User)")).isEqualTo(USERS);
    for (String[] wrong :
        List.of(
            new String[] {"modify", "--filter=(uid=u1)"},
            new String[] {"modify", "--filter=(uid=u1)", "--add=title"},
            new String[] {"modify", "--filter=(uid=u1)", "--add=title=a", "--scope=all"},
            new String[] {"delete", "--filter=(uid=u1)", "--rate=-1"})) {
      assertThat(run(wrong)).as(String.join(" ", wrong)).isEqualTo(ExitCode.USAGE);
    }
    assertThat(run("delete", "--filter=(uid=u1")).isEqualTo(ExitCode.USAGE);
    assertThat(commands.err()).contains("--filter: ");
  }

  @Test
  void shouldDeleteWhatMatchesChildrenFirst() throws Exception {
    for (int i = 0; i < 30; i++) {
      root.add(
          "ou=a" + i + "," + user(0),
          new Attribute("objectClass", "organizationalUnit"),
          new Attribute("description", i < 20 ? "old" : "kept"));
      root.add("ou=b,ou=a" + i + "," + user(0), new Attribute("objectClass", "organizationalUnit"));
    }
    assertThat(out("delete", "--filter=(description=old)", "--dry-run"))
        .isEqualTo("170 entries match; nothing was deleted\n");
    assertThat(count("(description=old)")).isEqualTo(170);
    // Twenty have children that do not match.
    assertThat(run("delete", "--filter=(description=old)")).isEqualTo(ExitCode.FAILED);
    assertThat(commands.out()).isEqualTo("150 entries were deleted\n");
    assertThat(commands.err())
        .contains("20 have children that do not match: --subtree", "ou=a7," + user(0));
    assertThat(count("(description=old)")).isEqualTo(20);
    // With these it is enough that they match, whatever their order.
    assertThat(out("delete", "--filter=(ou:dn:=a0)")).isNotEmpty();
    assertThat(out("delete", "--filter=(uid=u0)", "--subtree")).contains("entries were deleted");
    assertThat(count("(ou=*)")).isZero();
    assertThat(count("(uid=*)")).isEqualTo(99);
    assertThat(out("delete", "--filter=(objectClass=*)", "--scope=children"))
        .isEqualTo("99 entries were deleted\n");
    assertThat(root.getEntry(TOP)).isNotNull();
    assertThat(out("delete", "--filter=(uid=*)")).isEqualTo("0 entries were deleted\n");
  }

  @Test
  void shouldDeleteWhatAnOrdinarySearchDoesNotShow() throws Exception {
    root.add(
        "dn: ou=a," + TOP,
        "objectClass: organizationalUnit",
        "administrativeRole: collectiveAttributeSpecificArea");
    root.add(
        "dn: cn=b,ou=a," + TOP,
        "objectClass: subentry",
        "objectClass: collectiveAttributeSubentry",
        "subtreeSpecification: {}",
        "c-l: Berlin");
    root.add(
        "dn: ou=c,ou=a," + TOP,
        "objectClass: referral",
        "objectClass: extensibleObject",
        "ref: ldap://127.0.0.1/ou=c");
    assertThat(run("delete", "--filter=(ou=a)")).isEqualTo(ExitCode.FAILED);
    assertThat(out("delete", "--filter=(ou=a)", "--subtree")).isEqualTo("3 entries were deleted\n");
    assertThat(root.getEntry("ou=a," + TOP)).isNull();
  }

  @Test
  void shouldObeyARate() throws Exception {
    long before = System.nanoTime();
    out("delete", "--filter=(uid=u1*)", "--rate=1000");
    // 111 entries: the rate is a lower bound of the time, whatever the machine.
    assertThat(System.nanoTime() - before).isGreaterThan(110_000_000);
    assertThat(count("(uid=u1*)")).isZero();
  }

  /** A server that is busy for as many requests as are set. */
  private static final class Busy extends InMemoryOperationInterceptor {
    private final AtomicInteger left = new AtomicInteger();
    private final AtomicInteger searchesLeft = new AtomicInteger();

    private static void answer(AtomicInteger left) throws LDAPException {
      if (left.getAndUpdate(count -> Math.max(0, count - 1)) > 0) {
        throw new LDAPException(ResultCode.BUSY, "too many updates are waiting");
      }
    }

    @Override
    public void processModifyRequest(InMemoryInterceptedModifyRequest request)
        throws LDAPException {
      answer(left);
    }

    @Override
    public void processSearchRequest(InMemoryInterceptedSearchRequest request)
        throws LDAPException {
      answer(searchesLeft);
    }
  }

  @Test
  void shouldTryAgainWhileTheServerIsBusy() throws Exception {
    Busy busy = new Busy();
    InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig(TOP);
    config.setSchema(null);
    config.addInMemoryOperationInterceptor(busy);
    try (InMemoryDirectoryServer other = new InMemoryDirectoryServer(config)) {
      other.add("dn: " + TOP, "objectClass: domain", "dc: example");
      for (int i = 0; i < 50; i++) {
        other.add("dn: ou=" + i + "," + TOP, "objectClass: organizationalUnit", "ou: " + i);
      }
      other.startListening();
      String[] change = {
        "modify",
        "--url=ldap://127.0.0.1:" + other.getListenPort(),
        "--base=" + TOP,
        "--filter=(ou=*)",
        "--add=description=seen",
        "--page=20",
        ""
      };
      busy.left.set(30);
      busy.searchesLeft.set(2);
      change[6] = "--busy-seconds=600";
      assertThat(commands.run(folder.resolve("test.conf"), change))
          .as(commands.err())
          .isEqualTo(ExitCode.OK);
      assertThat(commands.out()).isEqualTo("50 entries were changed, 0 were as they are to be\n");
      busy.searchesLeft.set(Integer.MAX_VALUE);
      change[6] = "--busy-seconds=0";
      assertThat(commands.run(folder.resolve("test.conf"), change)).isEqualTo(ExitCode.FAILED);
      assertThat(commands.err()).contains("the server was busy for 0 seconds; 0 entries are done");
    }
  }
}
