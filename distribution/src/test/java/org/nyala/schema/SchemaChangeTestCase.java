package org.nyala.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cli.Main;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** A running server, a client of its root account, and definitions to add to its schema. */
abstract class SchemaChangeTestCase {
  static final String SCHEMA = "cn=Subschema";
  static final String TYPES = "attributeTypes";
  static final String CLASSES = "objectClasses";
  static final String COLOUR =
      "( 1.3.6.1.4.1.55555.1.1 NAME 'colour' EQUALITY caseIgnoreMatch"
          + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )";
  static final String COLOUR_OID = "1.3.6.1.4.1.55555.1.1";
  static final String PAINTED =
      "( 1.3.6.1.4.1.55555.2.1 NAME 'painted' SUP top AUXILIARY MAY colour )";
  static final String PAINTED_OID = "1.3.6.1.4.1.55555.2.1";

  @TempDir Path folder;
  RunningServer server;
  LDAPConnection connection;

  @BeforeEach
  void serve() throws Exception {
    server = LocalServer.start(folder, "");
    connection = connect();
  }

  @AfterEach
  void stop() {
    connection.close();
    server.close();
  }

  void restart() throws Exception {
    stop();
    serve();
  }

  LDAPConnection connect() throws LDAPException {
    return LocalServer.connectAsRoot(server);
  }

  void add(String attribute, String... values) throws LDAPException {
    change(ModificationType.ADD, attribute, values);
  }

  void delete(String attribute, String... values) throws LDAPException {
    change(ModificationType.DELETE, attribute, values);
  }

  void redefine(String attribute, String oid, String definition) throws LDAPException {
    connection.modify(
        SCHEMA,
        new Modification(ModificationType.DELETE, attribute, oid),
        new Modification(ModificationType.ADD, attribute, definition));
  }

  void change(ModificationType type, String attribute, String... values) throws LDAPException {
    connection.modify(SCHEMA, new Modification(type, attribute, values));
  }

  void addTop(String... more) throws Exception {
    Entry entry = new Entry("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
    for (String each : more) {
      String[] parts = each.split(": ", 2);
      entry.addAttribute(parts[0], parts[1]);
    }
    connection.add(entry);
  }

  List<String> shown(String attribute) throws LDAPException {
    SearchResultEntry entry = connection.getEntry(SCHEMA, attribute);
    return List.of(entry.getAttributeValues(attribute));
  }

  int count(String filter) throws LDAPException {
    return connection.search("dc=example,dc=com", SearchScope.SUB, filter).getEntryCount();
  }

  static int run(String... arguments) {
    return Main.commandLine().execute(arguments);
  }

  void assertStoreIsSound() throws Exception {
    stop();
    String config = folder.resolve("test.conf").toString();
    String data = folder.resolve("data").toString();
    assertThat(run("verify", "--config", config, "--data", data)).isEqualTo(ExitCode.OK);
    serve();
  }

  static void assertRefused(ThrowingCall call, ResultCode code, String... words) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            LDAPException.class,
            e -> {
              assertThat(e.getResultCode()).as(e.getMessage()).isEqualTo(code);
              for (String word : words) {
                assertThat(e.getMessage()).contains(word);
              }
            });
  }

  interface ThrowingCall {
    void run() throws Exception;
  }
}
