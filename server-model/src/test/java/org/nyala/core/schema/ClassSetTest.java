package org.nyala.core.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.schema.load.SchemaLoader;

class ClassSetTest {
  private static final Schema SCHEMA = SchemaLoader.standard();

  private static ClassSet classSet(String... names) {
    List<byte[]> values = new ArrayList<>();
    for (String name : names) {
      values.add(name.getBytes(UTF_8));
    }
    return SCHEMA.classSet(values);
  }

  @Test
  void shouldCollectWhatIsRequiredAndAllowed() {
    ClassSet person = classSet("inetOrgPerson", "POSIXACCOUNT");

    assertThat(person.violation()).isEmpty();
    assertThat(person.structural()).isEqualTo(SCHEMA.objectClass("inetOrgPerson"));
    assertThat(person.classes()).contains(SCHEMA.objectClass("top"), SCHEMA.objectClass("person"));
    assertThat(person.must())
        .extracting(AttributeType::name)
        .containsExactlyInAnyOrder(
            "objectClass", "cn", "sn", "uid", "uidNumber", "gidNumber", "homeDirectory");
    assertThat(person.allows(SCHEMA.attributeType("mail"))).isTrue();
    assertThat(person.allows(SCHEMA.attributeType("cn"))).isTrue();
    assertThat(person.allows(SCHEMA.attributeType("entryCSN"))).isTrue();
    assertThat(person.allows(SCHEMA.attributeType("dc"))).isFalse();
  }

  @Test
  void shouldAllowEverythingToExtensibleObjects() {
    ClassSet classSet = classSet("organization", "extensibleObject");

    assertThat(classSet.allows(SCHEMA.attributeType("mail"))).isTrue();
    assertThat(classSet("organization").allows(SCHEMA.attributeType("mail"))).isFalse();
  }

  @Test
  void shouldRequireOneStructuralChain() {
    assertThat(classSet("top", "uidObject").violation()).isEqualTo("no structural object class");
    assertThat(classSet("person", "organization").violation())
        .contains("'person' and 'organization' are structural");
    assertThat(classSet("top", "person", "organizationalPerson", "inetOrgPerson").violation())
        .isEmpty();
    assertThat(classSet("foo").violation()).isEqualTo("unknown object class 'foo'");
    assertThat(classSet("pilotOrganization").violation()).isEmpty();
  }

  @Test
  void shouldComputeEachListOnce() {
    assertThat(classSet("top", "person")).isSameAs(classSet("top", "person"));
  }
}
