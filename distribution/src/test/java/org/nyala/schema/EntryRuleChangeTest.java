package org.nyala.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.PostReadRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadResponseControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests clients that change rules for entries that exist already. */
class EntryRuleChangeTest extends SchemaChangeTestCase {
  private static final String CONTENT = "dITContentRules";
  private static final String FORMS = "nameForms";
  private static final String PLACES = "dITStructureRules";
  private static final String CHAMBER = "cn=one,dc=example,dc=com";
  private static final String ARC = "1.3.6.1.4.1.55555.";

  @BeforeEach
  void addChamber() throws Exception {
    add(CLASSES, "( " + ARC + "2 NAME 'chamber' SUP top STRUCTURAL MUST cn MAY ( sn $ l ) )");
    add(CLASSES, "( " + ARC + "3 NAME 'heated' SUP top AUXILIARY MAY street )");
    connection.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
    connection.add(
        CHAMBER,
        new Attribute("objectClass", "chamber", "heated"),
        new Attribute("sn", "x"),
        new Attribute("cn", "one"));
  }

  private static void assertRefused(ThrowingCall call, String... words) {
    assertRefused(call, ResultCode.UNWILLING_TO_PERFORM, words);
  }

  private static String content(String rest) {
    return "( " + ARC + "2 NAME 'chamberContent' " + rest + " )";
  }

  @Test
  void shouldRefuseDefinitionsThatContradictThemselves() {
    String syntax = " SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )";
    assertRefused(
        () -> add(TYPES, "( " + ARC + "1 NAME 'size' EQUALITY integerMatch" + syntax),
        "inappropriate matching rule",
        "'integerMatch'",
        "Directory String");
    assertRefused(() -> add(TYPES, "( " + ARC + "1 NAME 'size' )"), "needs SUP or SYNTAX");
    assertRefused(
        () -> add(CLASSES, "( " + ARC + "4 NAME 'suite' SUP chamber AUXILIARY )"),
        "cannot extend the STRUCTURAL",
        "'chamber'");
    assertRefused(() -> add(CONTENT, content("AUX heated NOT cn")), "'cn' in NOT", "'chamber'");
  }

  @Test
  void shouldImportWhatTheEqualityRuleCannotCompare() throws Exception {
    add(
        TYPES,
        "( "
            + ARC
            + "1 NAME 'hue' EQUALITY caseIgnoreIA5Match SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )");
    add(CLASSES, "( " + ARC + "4 NAME 'painted' SUP top AUXILIARY MAY hue )");
    connection.modify(
        CHAMBER,
        new Modification(ModificationType.ADD, "objectClass", "painted"),
        new Modification(ModificationType.ADD, "hue", "Gr\u00fcn", "gr\u00fcn", "Red"));
    stop();
    String config = folder.resolve("test.conf").toString();
    String data = folder.resolve("data").toString();
    String ldif = folder.resolve("out.ldif").toString();
    assertThat(run("export", "--config", config, "--data", data, "-o", ldif)).isZero();
    assertThat(run("import", "--config", config, "--data", data, "--replace", ldif)).isZero();
    serve();
    assertThat(connection.getEntry(CHAMBER).getAttributeValues("hue"))
        .containsExactlyInAnyOrder("Gr\u00fcn", "gr\u00fcn", "Red");
    String twice = Files.readString(Path.of(ldif)).replace("hue: Red", "hue: Red\nhue: RED");
    stop();
    Files.writeString(Path.of(ldif), twice);
    assertThat(run("import", "--config", config, "--data", data, "--replace", ldif)).isNotZero();
    serve();
  }

  @Test
  void shouldRefuseContentRulesThatEntriesBreak() throws Exception {
    String[] inUse = {"chamber is in use", "content rule", CHAMBER};
    assertRefused(() -> add(CONTENT, content("NOT l")), inUse);
    assertRefused(() -> add(CONTENT, content("AUX heated NOT sn")), "it has sn", CHAMBER);
    assertRefused(() -> add(CONTENT, content("AUX heated MUST l")), "it lacks l", CHAMBER);
    add(CONTENT, content("AUX heated MAY title NOT l"));
    connection.modify(CHAMBER, new Modification(ModificationType.ADD, "title", "y"));
    assertRefused(() -> redefine(CONTENT, ARC + "2", content("AUX heated NOT l")), "it has title");
    assertRefused(() -> delete(CONTENT, ARC + "2"), "it has title", CHAMBER);
    redefine(CONTENT, ARC + "2", content("AUX heated MUST title NOT l"));
    connection.delete(CHAMBER);
    redefine(CONTENT, ARC + "2", content("NOT sn"));
    delete(CONTENT, ARC + "2");
  }

  @Test
  void shouldRefuseAClassThatItsContentRuleContradicts() throws Exception {
    connection.delete(CHAMBER);
    add(CONTENT, content("NOT sn"));
    assertRefused(
        () ->
            redefine(
                CLASSES,
                ARC + "2",
                "( " + ARC + "2 NAME 'chamber' SUP top STRUCTURAL MUST ( cn $ sn ) )"),
        "'sn' in NOT",
        "'chamber'");
  }

  @Test
  void shouldShowTheWholeEntryBesideItsGoverningRule() throws Exception {
    add(FORMS, "( " + ARC + "6 NAME 'byCn' OC chamber MUST cn )");
    add(FORMS, "( " + ARC + "7 NAME 'byDc' OC domain MUST dc )");
    add(PLACES, "( 1 FORM byDc )", "( 2 FORM byCn SUP 1 )");
    String[] shown = {"governingStructureRule", "*", "+"};
    Entry expected = connection.getEntry(CHAMBER, "*", "+");
    SearchRequest sorted =
        new SearchRequest("dc=example,dc=com", SearchScope.SUB, "(cn=one)", shown);
    sorted.addControl(new ServerSideSortRequestControl(true, new SortKey("cn")));
    assertThat(connection.search(sorted).getSearchEntries())
        .singleElement()
        .satisfies(entry -> assertThat(new Entry(entry.toLDIF())).isEqualTo(expected));
    ModifyRequest change =
        new ModifyRequest(CHAMBER, new Modification(ModificationType.REPLACE, "l", "here"));
    change.addControl(new PostReadRequestControl(shown));
    PostReadResponseControl after = PostReadResponseControl.get(connection.modify(change));
    assertThat(new Entry(after.getEntry().toLDIF()))
        .isEqualTo(connection.getEntry(CHAMBER, "*", "+"));
  }

  @Test
  void shouldRefuseStructureRulesThatEntriesBreak() throws Exception {
    add(FORMS, "( " + ARC + "5 NAME 'bySn' OC chamber MUST sn )");
    add(FORMS, "( " + ARC + "6 NAME 'byCn' OC chamber MUST cn )");
    add(FORMS, "( " + ARC + "7 NAME 'byDc' OC domain MUST dc )");
    String[] inUse = {"chamber is in use", "structure rules", CHAMBER};
    assertRefused(() -> add(PLACES, "( 1 FORM bySn )"), inUse);
    assertRefused(
        () -> add(PLACES, "( 1 FORM byDc )", "( 2 FORM bySn SUP 1 )"), "structure rules", CHAMBER);
    add(PLACES, "( 1 FORM byDc )", "( 2 FORM byCn SUP 1 )", "( 3 FORM bySn SUP 1 )");
    assertRefused(() -> delete(PLACES, "2"), inUse);
    assertRefused(() -> redefine(PLACES, "2", "( 2 FORM byCn )"), inUse);
    assertRefused(
        () -> redefine(FORMS, ARC + "6", "( " + ARC + "6 NAME 'byCn' OC chamber MUST ( cn $ l ) )"),
        inUse);
    assertThat(connection.getEntry(CHAMBER, "governingStructureRule"))
        .satisfies(
            entry -> assertThat(entry.getAttributeValue("governingStructureRule")).isEqualTo("2"));
    connection.delete(CHAMBER);
    delete(PLACES, "2");
  }
}
