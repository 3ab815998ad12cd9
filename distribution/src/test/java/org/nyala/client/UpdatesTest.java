package org.nyala.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadResponseControl;
import com.unboundid.ldap.sdk.controls.PreReadRequestControl;
import com.unboundid.ldap.sdk.controls.PreReadResponseControl;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.ServedDirectory;

/** Tests changes over the wire on a real store. */
class UpdatesTest {
  private static final String TOP = "dc=example,dc=com";

  @TempDir Path folder;

  private ServedDirectory served;
  private LDAPConnection connection;

  @BeforeEach
  void serve() throws Exception {
    served = ServedDirectory.start(folder, "clients.ldif");
    connection = connect();
  }

  @AfterEach
  void stop() {
    connection.close();
    served.close();
  }

  private LDAPConnection connect() throws LDAPException {
    return new LDAPConnection("127.0.0.1", served.port(), "cn=admin,dc=example,dc=com", "admin");
  }

  private static ResultCode codeOf(Throwable e) {
    return ((LDAPException) e).getResultCode();
  }

  private void addDevice(String name) throws Exception {
    connection.add("dn: " + name, "objectClass: device", "description: a device");
  }

  @Test
  void shouldAddModifyRenameAndDelete() throws Exception {
    connection.add("dn: ou=things," + TOP, "objectClass: organizationalUnit", "ou: things");
    addDevice("cn=one,ou=things," + TOP);
    connection.modify(
        "cn=one,ou=things," + TOP,
        new Modification(ModificationType.ADD, "serialNumber", "1", "2"));
    connection.modifyDN("ou=things," + TOP, "ou=objects", true);
    Entry one = connection.getEntry("cn=one,ou=objects," + TOP, "*", "+");
    assertThat(one.getAttributeValues("serialNumber")).containsExactly("1", "2");
    assertThat(one.getAttributeValue("entryDN")).isEqualTo("cn=one,ou=objects," + TOP);
    assertThat(one.getAttributeValue("creatorsName")).isEqualTo("cn=admin,dc=example,dc=com");
    Filter byUuid = Filter.createEqualityFilter("entryUUID", one.getAttributeValue("entryUUID"));
    assertThat(connection.search(TOP, SearchScope.SUB, byUuid, "1.1").getEntryCount()).isEqualTo(1);
    Filter byCsn = Filter.createGreaterOrEqualFilter("entryCSN", one.getAttributeValue("entryCSN"));
    assertThat(connection.search(TOP, SearchScope.SUB, byCsn, "1.1").getEntryCount()).isEqualTo(2);
    assertThatThrownBy(() -> connection.delete("ou=objects," + TOP))
        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ResultCode.NOT_ALLOWED_ON_NONLEAF));
    connection.delete("cn=one,ou=objects," + TOP);
    connection.delete("ou=objects," + TOP);
    assertThat(connection.getEntry("ou=objects," + TOP)).isNull();
  }

  @Test
  void shouldReturnEntriesWithTheResult() throws Exception {
    addDevice("cn=one," + TOP);
    ModifyRequest request =
        new ModifyRequest(
            "cn=one," + TOP, new Modification(ModificationType.REPLACE, "description", "new"));
    request.addControl(new PreReadRequestControl(true, "description"));
    request.addControl(new PostReadRequestControl(true, "description"));
    request.addControl(new AssertionRequestControl("(description=a device)"));
    LDAPResult result = connection.modify(request);
    assertThat(PreReadResponseControl.get(result).getEntry().getAttributeValue("description"))
        .isEqualTo("a device");
    assertThat(PostReadResponseControl.get(result).getEntry().getAttributeValue("description"))
        .isEqualTo("new");
    assertThatThrownBy(() -> connection.modify(request))
        .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ResultCode.ASSERTION_FAILED));
  }

  @Test
  void shouldKeepWhatItAnsweredOverARestart() throws Exception {
    addDevice("cn=one," + TOP);
    served.close();
    served = ServedDirectory.restart(folder);
    connection.close();
    connection = connect();
    assertThat(connection.getEntry("cn=one," + TOP)).isNotNull();
  }

  @Test
  void shouldTakeChangesFromManyConnectionsAtOnce() throws Exception {
    int connections = 4;
    int each = 50;
    List<Callable<Integer>> clients = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      int number = i;
      clients.add(() -> addAndCount(number, each));
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(connections)) {
      for (Future<Integer> added : threads.invokeAll(clients)) {
        assertThat(added.get()).isEqualTo(each);
      }
    }
    assertThat(connection.search(TOP, SearchScope.ONE, "(objectClass=device)").getEntryCount())
        .isEqualTo(connections * each);
  }

  private int addAndCount(int client, int count) throws Exception {
    try (LDAPConnection own = connect()) {
      for (int i = 0; i < count; i++) {
        String name = "cn=" + client + "-" + i + "," + TOP;
        own.add("dn: " + name, "objectClass: device");
        assertThat(own.getEntry(name)).as("reads its own writes").isNotNull();
      }
    }
    return count;
  }
}
