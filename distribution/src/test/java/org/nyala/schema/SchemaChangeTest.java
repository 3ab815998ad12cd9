package org.nyala.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalServer;

/** Tests clients that extend the schema of a running server. */
class SchemaChangeTest extends SchemaChangeTestCase {
  @Test
  void shouldUseAndShowNewDefinitionsAtOnceAndAfterARestart() throws Exception {
    assertRefused(
        () -> addTop("objectClass: painted", "colour: Red"), ResultCode.UNDEFINED_ATTRIBUTE_TYPE);
    connection.modify(
        SCHEMA,
        new Modification(ModificationType.ADD, TYPES, COLOUR),
        new Modification(ModificationType.ADD, CLASSES, PAINTED));
    addTop("objectClass: painted", "colour: Red");
    for (int run = 0; run < 2; run++) {
      assertThat(shown(TYPES)).contains(COLOUR);
      assertThat(shown(CLASSES)).contains(PAINTED);
      assertThat(count("(colour=RED)")).isEqualTo(1);
      assertThat(count("(&(objectClass=painted)(!(colour=blue)))")).isEqualTo(1);
      assertThat(connection.search(SCHEMA, SearchScope.BASE, "(attributeTypes=colour)"))
          .satisfies(result -> assertThat(result.getEntryCount()).isEqualTo(1));
      restart();
    }
    connection.modify(
        "dc=example,dc=com", new Modification(ModificationType.REPLACE, "colour", "Blue"));
    assertThat(count("(colour=blue)")).isEqualTo(1);
    assertOfflineToolsKnowTheDefinitions();
  }

  private void assertOfflineToolsKnowTheDefinitions() throws Exception {
    stop();
    String config = folder.resolve("test.conf").toString();
    String data = folder.resolve("data").toString();
    Path ldif = folder.resolve("out.ldif");
    assertThat(run("verify", "--config", config, "--data", data)).isEqualTo(ExitCode.OK);
    assertThat(run("export", "--config", config, "--data", data, "-o", ldif.toString()))
        .isEqualTo(ExitCode.OK);
    assertThat(Files.readString(ldif)).contains("colour: Blue");
    assertThat(run("import", "--config", config, "--data", data, "--replace", ldif.toString()))
        .isEqualTo(ExitCode.OK);
    serve();
    assertThat(shown(TYPES)).contains(COLOUR);
    assertThat(count("(colour=blue)")).isEqualTo(1);
  }

  @Test
  void shouldSayWhyADefinitionIsRefused() throws Exception {
    add(TYPES, COLOUR);
    assertRefused(
        () -> add(TYPES, COLOUR), ResultCode.ATTRIBUTE_OR_VALUE_EXISTS, "defined already");
    assertRefused(
        () -> add(TYPES, "( 2.5.4.3 NAME 'cn' )"), ResultCode.ATTRIBUTE_OR_VALUE_EXISTS, "2.5.4.3");
    assertRefused(
        () -> add(TYPES, "( 1.3.6.1.4.1.55555.1.9 NAME 'x' COLOR )"),
        ResultCode.INVALID_ATTRIBUTE_SYNTAX,
        "value 1",
        "'COLOR' is not known",
        "at character 38");
    assertRefused(
        () -> add(CLASSES, "( 1.3.6.1.4.1.55555.2.9 NAME 'y' MAY nonsense )"),
        ResultCode.UNWILLING_TO_PERFORM,
        "unknown attribute type 'nonsense'");
    assertRefused(
        () -> add(TYPES, "( 1.3.6.1.4.1.55555.1.8 NAME 'CN' SUP name )"),
        ResultCode.UNWILLING_TO_PERFORM,
        "the name 'CN' of 1.3.6.1.4.1.55555.1.8 belongs to 2.5.4.3");
    assertRefused(() -> delete(TYPES, "2.5.4.3"), ResultCode.UNWILLING_TO_PERFORM, "own");
    assertRefused(() -> delete(TYPES), ResultCode.UNWILLING_TO_PERFORM, "own");
    assertRefused(() -> delete(TYPES, "1.2.3.4"), ResultCode.NO_SUCH_ATTRIBUTE, "1.2.3.4");
    assertRefused(
        () -> change(ModificationType.REPLACE, TYPES, COLOUR), ResultCode.UNWILLING_TO_PERFORM);
    assertRefused(() -> add("cn", "other"), ResultCode.UNWILLING_TO_PERFORM, "'cn'");
    try (LDAPConnection anonymous = LocalServer.connect(server)) {
      assertRefused(
          () -> anonymous.modify(SCHEMA, new Modification(ModificationType.ADD, TYPES, COLOUR)),
          ResultCode.STRONG_AUTH_REQUIRED);
    }
    assertThat(shown(TYPES)).filteredOn(COLOUR::equals).hasSize(1);
  }

  @Test
  void shouldTryAndGuardChangesOfTheSchema() throws Exception {
    Modification colour = new Modification(ModificationType.ADD, TYPES, COLOUR);
    ModifyRequest trial = new ModifyRequest(SCHEMA, colour);
    trial.addControl(new Control("1.3.6.1.4.1.4203.666.5.2"));
    assertThat(connection.modify(trial).getResultCode()).isEqualTo(ResultCode.NO_OPERATION);
    ModifyRequest guarded = new ModifyRequest(SCHEMA, colour);
    guarded.addControl(new AssertionRequestControl("(cn=nobody)"));
    assertRefused(() -> connection.modify(guarded), ResultCode.ASSERTION_FAILED);
    assertThat(shown(TYPES)).noneMatch(each -> each.contains(COLOUR_OID));

    ModifyRequest broken =
        new ModifyRequest(SCHEMA, new Modification(ModificationType.ADD, TYPES, "( colour )"));
    broken.addControl(new Control("1.3.6.1.4.1.4203.666.5.2", true));
    assertRefused(() -> connection.modify(broken), ResultCode.INVALID_ATTRIBUTE_SYNTAX);

    guarded.setControls(new AssertionRequestControl("(cn=subschema)", true));
    connection.modify(guarded);
    assertThat(shown(TYPES)).anyMatch(each -> each.contains(COLOUR_OID));
  }

  @Test
  void shouldGoOnSearchingAndAddingWhileTheSchemaChanges() throws Exception {
    addTop();
    AtomicBoolean done = new AtomicBoolean();
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      Future<Integer> added = threads.submit(() -> addWhile(done));
      Future<Integer> searched = threads.submit(() -> searchWhile(done));
      for (int i = 0; i < 30; i++) {
        add(
            TYPES,
            COLOUR.replace(COLOUR_OID, "1.3.6.1.4.1.55555.3." + i).replace("colour", "extra" + i));
        add(
            CLASSES,
            "( 1.3.6.1.4.1.55555.4.N NAME 'extraClassN' AUXILIARY MAY extraN )"
                .replace("N ", i + " ")
                .replace("N'", i + "'"));
        connection.add(
            "ou=extra" + i + ",dc=example,dc=com",
            new Attribute("objectClass", "organizationalUnit", "extraClass" + i),
            new Attribute("extra" + i, "Value" + i));
        assertThat(count("(extra" + i + "=value" + i + ")")).isEqualTo(1);
      }
      done.set(true);
      assertThat(searched.get()).isPositive();
      int units = added.get();
      assertThat(count("(ou=unit*)")).isEqualTo(units);
    }
    restart();
    assertThat(count("(objectClass=extraClass29)")).isEqualTo(1);
    assertThat(run("verify", "--data", folder.resolve("data").toString())).isEqualTo(ExitCode.OK);
  }

  private int addWhile(AtomicBoolean done) throws LDAPException {
    int added = 0;
    try (LDAPConnection mine = connect()) {
      while (!done.get()) {
        mine.add(
            "ou=unit" + added + ",dc=example,dc=com",
            new Attribute("objectClass", "organizationalUnit"));
        added++;
      }
    }
    return added;
  }

  private int searchWhile(AtomicBoolean done) throws LDAPException {
    int searches = 0;
    try (LDAPConnection mine = connect()) {
      do {
        assertThat(
                mine.search("dc=example,dc=com", SearchScope.SUB, "(dc=Example)").getEntryCount())
            .isEqualTo(1);
        searches++;
      } while (!done.get());
    }
    return searches;
  }
}
