package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldif.LDIFReader;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.schema.DefinitionKind;
import org.nyala.core.schema.ExtendedSchema;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SchemaLoader;
import org.nyala.lmdb.ImportResult;
import org.nyala.lmdb.ImportSettings;
import org.nyala.lmdb.ImportSource;
import org.nyala.lmdb.LdifImport;
import picocli.CommandLine;

/** Clients that extend the schema of a running server. */
class SchemaChangeTest {
  private static final String ROOT = "cn=admin,dc=example,dc=com";
  private static final String SCHEMA = "cn=Subschema";
  private static final String TYPES = "attributeTypes";
  private static final String CLASSES = "objectClasses";
  private static final String COLOUR =
      "( 1.3.6.1.4.1.55555.1.1 NAME 'colour' EQUALITY caseIgnoreMatch"
          + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )";
  private static final String COLOUR_OID = "1.3.6.1.4.1.55555.1.1";
  private static final String PAINTED =
      "( 1.3.6.1.4.1.55555.2.1 NAME 'painted' SUP top AUXILIARY MAY colour )";
  private static final String PAINTED_OID = "1.3.6.1.4.1.55555.2.1";

  @TempDir Path folder;

  private RunningServer server;
  private LDAPConnection connection;

  @BeforeEach
  void serve() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("test.conf"),
            """
            nyala {
              listeners = ["ldap://127.0.0.1:0"]
              data = data
              suffixes = ["dc=example,dc=com"]
              root { dn = "ROOT", password = admin }
            }
            """
                .replace("ROOT", ROOT));
    server = RunningServer.start(ConfigurationFile.read(file, folder), Installation.current());
    connection = connect();
  }

  @AfterEach
  void stop() {
    connection.close();
    server.close();
  }

  private void restart() throws Exception {
    stop();
    serve();
  }

  private LDAPConnection connect() throws LDAPException {
    int port = URI.create(server.listeners().getFirst()).getPort();
    return new LDAPConnection("127.0.0.1", port, ROOT, "admin");
  }

  private void change(ModificationType type, String attribute, String... values)
      throws LDAPException {
    connection.modify(SCHEMA, new Modification(type, attribute, values));
  }

  private void add(String attribute, String... values) throws LDAPException {
    change(ModificationType.ADD, attribute, values);
  }

  private void delete(String attribute, String... values) throws LDAPException {
    change(ModificationType.DELETE, attribute, values);
  }

  private void addTop(String... more) throws Exception {
    Entry entry = new Entry("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
    for (String each : more) {
      String[] parts = each.split(": ", 2);
      entry.addAttribute(parts[0], parts[1]);
    }
    connection.add(entry);
  }

  private List<String> shown(String attribute) throws LDAPException {
    SearchResultEntry entry = connection.getEntry(SCHEMA, attribute);
    return List.of(entry.getAttributeValues(attribute));
  }

  private int count(String filter) throws LDAPException {
    return connection.search("dc=example,dc=com", SearchScope.SUB, filter).getEntryCount();
  }

  private static void assertRefused(ThrowingCall call, ResultCode code, String... words) {
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

  private interface ThrowingCall {
    void run() throws Exception;
  }

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
  void shouldWriteAddedDefinitionsForAnotherDataDirectory() throws Exception {
    String described = COLOUR.replace(" EQUALITY", " DESC 'f\u00e4rbt' EQUALITY");
    connection.modify(
        SCHEMA,
        new Modification(ModificationType.ADD, TYPES, described),
        new Modification(ModificationType.ADD, CLASSES, PAINTED));
    addTop("objectClass: painted", "colour: Red");
    stop();
    String data = folder.resolve("data").toString();
    Path ldif = folder.resolve("out.ldif");
    StringWriter err = new StringWriter();
    CommandLine export = Main.commandLine().setErr(new PrintWriter(err, true));
    assertThat(export.execute("export", "--data", data, "-o", ldif.toString())).isZero();
    assertThat(err.toString()).contains("2 definitions").contains("--schema");
    assertThat(run("export", "--data", data, "-o", ldif.toString(), "--schema", "added.txt"))
        .isEqualTo(ExitCode.USAGE);
    for (String name : new String[] {"added.schema", "added.ldif"}) {
      Path conf = Files.createDirectories(folder.resolve("conf-" + name));
      Path added = conf.resolve(name);
      Schema schema = exported(data, ldif, added, err);
      assertThat(DefinitionKind.ATTRIBUTE_TYPE.describe(schema, COLOUR_OID)).isEqualTo(described);
      assertThat(DefinitionKind.OBJECT_CLASS.describe(schema, PAINTED_OID)).isEqualTo(PAINTED);
      ImportResult result =
          new LdifImport(
                  ExtendedSchema.of(schema),
                  ImportSettings.defaults(schema),
                  _ -> {},
                  InstantSource.system(),
                  System::nanoTime)
              .run(List.of(ImportSource.file(ldif)), folder.resolve("restored-" + name));
      assertThat(result.entriesRejected()).isZero();
      assertThat(result.entriesImported()).isEqualTo(1);
    }
    Files.move(folder.resolve("data"), folder.resolve("former"));
    serve();
    addOverLdap(folder.resolve("conf-added.ldif/added.ldif"));
  }

  /** The schema that an installation has which was given the file that an export wrote. */
  private static Schema exported(String data, Path ldif, Path added, StringWriter err)
      throws Exception {
    err.getBuffer().setLength(0);
    CommandLine export = Main.commandLine().setErr(new PrintWriter(err, true));
    assertThat(
            export.execute(
                "export", "--data", data, "-o", ldif.toString(), "--schema", added.toString()))
        .isZero();
    assertThat(err.toString()).isEmpty();
    Path conf = added.getParent();
    for (String name : SchemaLoader.bundledNames()) {
      try (InputStream in = SchemaLoader.class.getResourceAsStream(name)) {
        if (!name.equals("system.schema")) {
          Files.copy(in, conf.resolve(name));
        }
      }
    }
    return SchemaLoader.load(conf);
  }

  private void addOverLdap(Path file) throws Exception {
    try (LDIFReader reader = new LDIFReader(file.toFile())) {
      reader.readChangeRecord().processChange(connection);
    }
    assertThat(shown(CLASSES)).contains(PAINTED);
    addTop("objectClass: painted", "colour: Red");
  }

  private static int run(String... arguments) {
    return Main.commandLine().execute(arguments);
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
        "'CN' is 2.5.4.3");
    assertRefused(() -> delete(TYPES, "2.5.4.3"), ResultCode.UNWILLING_TO_PERFORM, "own");
    assertRefused(() -> delete(TYPES), ResultCode.UNWILLING_TO_PERFORM, "own");
    assertRefused(() -> delete(TYPES, "1.2.3.4"), ResultCode.NO_SUCH_ATTRIBUTE, "1.2.3.4");
    assertRefused(
        () -> change(ModificationType.REPLACE, TYPES, COLOUR), ResultCode.UNWILLING_TO_PERFORM);
    assertRefused(() -> add("cn", "other"), ResultCode.UNWILLING_TO_PERFORM, "'cn'");
    try (LDAPConnection anonymous =
        new LDAPConnection("127.0.0.1", URI.create(server.listeners().getFirst()).getPort())) {
      assertRefused(
          () -> anonymous.modify(SCHEMA, new Modification(ModificationType.ADD, TYPES, COLOUR)),
          ResultCode.STRONG_AUTH_REQUIRED);
    }
    assertThat(shown(TYPES)).filteredOn(COLOUR::equals).hasSize(1);
  }

  @Test
  void shouldKeepWhatIsInUse() throws Exception {
    add(TYPES, COLOUR);
    add(CLASSES, PAINTED);
    assertRefused(
        () -> delete(TYPES, COLOUR_OID), ResultCode.UNWILLING_TO_PERFORM, "refers", "colour");
    addTop("objectClass: painted", "colour: Red");
    assertRefused(
        () -> delete(CLASSES, PAINTED_OID), ResultCode.UNWILLING_TO_PERFORM, "painted", "entries");
    String required = PAINTED.replace("MAY colour", "MUST colour");
    assertRefused(() -> redefine(CLASSES, PAINTED_OID, required), ResultCode.UNWILLING_TO_PERFORM);
    String wider = PAINTED.replace("MAY colour", "MAY ( colour $ description )");
    redefine(CLASSES, PAINTED_OID, wider);
    assertThat(shown(CLASSES)).contains(wider).doesNotContain(PAINTED);
    String exact = COLOUR.replace("caseIgnoreMatch", "caseExactMatch");
    assertRefused(
        () -> redefine(TYPES, COLOUR_OID, exact), ResultCode.UNWILLING_TO_PERFORM, "colour");
    redefine(TYPES, COLOUR_OID, COLOUR.replace("'colour' ", "( 'colour' 'color' ) "));
    assertThat(count("(color=red)")).isEqualTo(1);
    connection.delete("dc=example,dc=com");
    delete(CLASSES, PAINTED_OID);
    assertThat(shown(CLASSES)).doesNotContain(wider);
    restart();
    assertThat(shown(CLASSES)).doesNotContain(wider);
    assertRefused(() -> addTop("objectClass: painted"), ResultCode.OBJECT_CLASS_VIOLATION);
  }

  @Test
  void shouldKeepTheNameByWhichEntriesAreFound() throws Exception {
    add(TYPES, COLOUR);
    add(CLASSES, PAINTED);
    addTop();
    String name = "colour=Red,dc=example,dc=com";
    connection.add(
        name,
        new Attribute("objectClass", "organizationalUnit", "painted"),
        new Attribute("ou", "x"));
    for (String names : List.of("( 'color' 'colour' )", "'COLOUR'")) {
      String other = COLOUR.replace("'colour'", names);
      assertRefused(
          () -> redefine(TYPES, COLOUR_OID, other), ResultCode.UNWILLING_TO_PERFORM, "colour");
    }
    redefine(TYPES, COLOUR_OID, COLOUR.replace("'colour' ", "( 'colour' 'color' ) "));
    assertThat(connection.getEntry(name)).isNotNull();
    assertThat(connection.getEntry("color=red,dc=example,dc=com")).isNotNull();
    assertStoreIsSound();
  }

  @Test
  void shouldKeepWhatStoredNamesAreMadeOf() throws Exception {
    add(TYPES, COLOUR);
    addTop();
    String group = "cn=group,dc=example,dc=com";
    connection.add(
        group,
        new Attribute("objectClass", "groupOfNames"),
        new Attribute("member", "colour=Red,dc=example,dc=com"));
    String renamed = COLOUR.replace("'colour' ", "( 'color' 'colour' ) ");
    String exact = COLOUR.replace("caseIgnoreMatch", "caseExactMatch");
    assertRefused(
        () -> delete(TYPES, COLOUR_OID), ResultCode.UNWILLING_TO_PERFORM, "member", group);
    for (String other : List.of(renamed, exact)) {
      assertRefused(
          () -> redefine(TYPES, COLOUR_OID, other), ResultCode.UNWILLING_TO_PERFORM, "member");
    }
    redefine(TYPES, COLOUR_OID, COLOUR.replace("'colour' ", "( 'colour' 'color' ) "));
    assertThat(count("(member=color=red,dc=example,dc=com)")).isEqualTo(1);
    connection.delete(group);
    delete(TYPES, COLOUR_OID);
    assertStoreIsSound();
  }

  @Test
  void shouldNotGiveMeaningToStoredIdentifiers() throws Exception {
    addTop();
    String entity = "cn=entity,dc=example,dc=com";
    connection.add(
        entity,
        new Attribute("objectClass", "applicationEntity"),
        new Attribute("presentationAddress", "x"),
        new Attribute("supportedApplicationContext", "Colour", "painted"));
    assertRefused(
        () -> add(TYPES, COLOUR),
        ResultCode.UNWILLING_TO_PERFORM,
        "supportedApplicationContext",
        entity);
    String plain = PAINTED.replace("colour", "description");
    assertRefused(() -> add(CLASSES, plain), ResultCode.UNWILLING_TO_PERFORM, entity);
    add(TYPES, COLOUR.replace("'colour'", "'color'"));
    connection.modify(
        entity,
        new Modification(ModificationType.DELETE, "supportedApplicationContext", "painted"));
    add(CLASSES, plain);
    assertThat(count("(supportedApplicationContext=colour)")).isEqualTo(1);
    connection.modify(
        entity,
        new Modification(ModificationType.REPLACE, "supportedApplicationContext", PAINTED_OID));
    delete(CLASSES, PAINTED_OID);
    assertStoreIsSound();
  }

  private void assertStoreIsSound() throws Exception {
    stop();
    String config = folder.resolve("test.conf").toString();
    String data = folder.resolve("data").toString();
    assertThat(run("verify", "--config", config, "--data", data)).isEqualTo(ExitCode.OK);
    serve();
  }

  private void redefine(String attribute, String oid, String definition) throws LDAPException {
    connection.modify(
        SCHEMA,
        new Modification(ModificationType.DELETE, attribute, oid),
        new Modification(ModificationType.ADD, attribute, definition));
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
  void shouldDeleteWhatNothingUses() throws Exception {
    add(TYPES, COLOUR);
    add(CLASSES, PAINTED);
    connection.modify(
        SCHEMA,
        new Modification(ModificationType.DELETE, CLASSES, PAINTED),
        new Modification(ModificationType.DELETE, TYPES, COLOUR));
    assertThat(shown(TYPES)).doesNotContain(COLOUR);
    add(TYPES, COLOUR.replace("caseIgnoreMatch", "caseExactMatch"));
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
      while (!done.get()) {
        assertThat(
                mine.search("dc=example,dc=com", SearchScope.SUB, "(dc=Example)").getEntryCount())
            .isEqualTo(1);
        searches++;
      }
    }
    return searches;
  }
}
