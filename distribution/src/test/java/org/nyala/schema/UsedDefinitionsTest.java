package org.nyala.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests clients that change or delete definitions used by entries or other definitions. */
class UsedDefinitionsTest extends SchemaChangeTestCase {
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
}
