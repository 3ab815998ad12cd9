package org.nyala.core.update;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rules.EntryRules;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SchemaDescriptions;
import org.nyala.core.schema.load.SchemaAdditions;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.core.schema.load.SchemaSource;

/** A schema with one example of everything that is rejected, and entries written in one line. */
public final class RulesFixture {
  public static final Schema SCHEMA = schema();
  public static final EntryRules RULES = new EntryRules(SCHEMA, 100);

  private RulesFixture() {}

  private static Schema schema() {
    Schema standard =
        SchemaAdditions.extend(
            SchemaLoader.standard(),
            List.of(
                "( 1.2.3.1.1 NAME 'old' OBSOLETE EQUALITY caseIgnoreMatch SYNTAX"
                    + " 1.3.6.1.4.1.1466.115.121.1.15 )",
                "( 1.2.3.1.2 NAME 'raw' SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 )",
                "( 1.2.3.1.3 NAME 'single' EQUALITY caseIgnoreMatch SYNTAX"
                    + " 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )",
                "( 1.2.3.1.4 NAME 'number' EQUALITY integerMatch SYNTAX"
                    + " 1.3.6.1.4.1.1466.115.121.1.27 )",
                "( 1.2.3.1.5 NAME 'shared' EQUALITY caseIgnoreMatch SYNTAX"
                    + " 1.3.6.1.4.1.1466.115.121.1.15 COLLECTIVE )",
                "( 1.2.3.1.6 NAME 'onlyNumber' EQUALITY integerMatch SYNTAX"
                    + " 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )"),
            List.of(
                "( 1.2.3.2.1 NAME 'thing' SUP top STRUCTURAL MUST cn MAY ( old $ raw $ single $"
                    + " number $ onlyNumber $ description $ member $ certificateRevocationList ) )",
                "( 1.2.3.2.2 NAME 'oldThing' OBSOLETE SUP top STRUCTURAL MUST cn )",
                "( 1.2.3.2.3 NAME 'concept' SUP top ABSTRACT MAY cn )",
                "( 1.2.3.2.4 NAME 'ruled' SUP top STRUCTURAL MUST cn MAY ( description $ sn ) )",
                "( 1.2.3.2.5 NAME 'located' SUP top AUXILIARY MAY ( ou $ l ) )",
                "( 1.2.3.2.6 NAME 'other' SUP top AUXILIARY MAY street )",
                "( 1.2.3.2.7 NAME 'oldOther' OBSOLETE SUP top AUXILIARY MAY street )"));
    List<SchemaSource> sources = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    SchemaDescriptions.attributeTypes(standard)
        .forEach(each -> text.append("attributetype ").append(each).append('\n'));
    SchemaDescriptions.objectClasses(standard)
        .forEach(each -> text.append("objectclass ").append(each).append('\n'));
    text.append(
        """
        ditcontentrule ( 1.2.3.2.4 NAME 'ruledContent' AUX located MUST description MAY title NOT sn )
        nameform ( 1.2.3.3.1 NAME 'unitForm' OC organizationalUnit MUST ou )
        nameform ( 1.2.3.3.2 NAME 'roleForm' OC organizationalRole MUST cn )
        ditstructurerule ( 1 NAME 'units' FORM unitForm SUP 1 )
        ditstructurerule ( 2 NAME 'topUnits' FORM unitForm )
        ditstructurerule ( 3 NAME 'roles' FORM roleForm SUP ( 1 2 ) )
        """);
    sources.add(new SchemaSource("test.schema", text.toString()));
    return SchemaLoader.load(sources);
  }

  public static Dn dn(String text) {
    try {
      return DnParser.parse(SCHEMA, text);
    } catch (InvalidDnException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  public static AttributeDescription description(String text) {
    return Objects.requireNonNull(AttributeDescription.parse(SCHEMA, text), text);
  }

  public static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  /** Returns attributes from lines such as {@code cn: a}, values of the same name in one list. */
  public static List<Request.AttributeValues> attributes(String... lines) {
    Map<String, List<byte[]>> values = new LinkedHashMap<>();
    for (String line : lines) {
      int colon = line.indexOf(": ");
      values
          .computeIfAbsent(line.substring(0, colon), _ -> new ArrayList<>())
          .add(bytes(line.substring(colon + 2)));
    }
    List<Request.AttributeValues> attributes = new ArrayList<>();
    values.forEach((name, list) -> attributes.add(new Request.AttributeValues(name, list)));
    return attributes;
  }

  /** Returns an entry without checks. */
  public static Entry entry(String name, String... lines) {
    Entry entry = new Entry(dn(name));
    for (String line : lines) {
      int colon = line.indexOf(": ");
      entry.add(description(line.substring(0, colon)), bytes(line.substring(colon + 2)));
    }
    return entry;
  }

  /** Returns the entry of an Add. */
  public static Entry added(boolean relaxed, String name, String... lines)
      throws LdapOperationException {
    Entry entry = RULES.newEntry(dn(name), attributes(lines), relaxed).go(Pace.UNBOUNDED);
    RULES.checkNew(entry, relaxed);
    return entry;
  }

  public static Request.Change change(int kind, String attribute, String... values) {
    List<byte[]> list = new ArrayList<>();
    for (String value : values) {
      list.add(bytes(value));
    }
    return new Request.Change(kind, new Request.AttributeValues(attribute, list));
  }

  /** Returns the entry's attributes as lines, in order. */
  public static List<String> lines(Entry entry) {
    List<String> lines = new ArrayList<>();
    for (AttributeDescription description : entry.descriptions()) {
      for (byte[] value : Objects.requireNonNull(entry.values(description))) {
        lines.add(description + ": " + new String(value, UTF_8));
      }
    }
    return lines;
  }

  /** Asserts that a call is rejected with a code. */
  public static ThrowableAssertAlternative<LdapOperationException> assertRefused(
      ResultCode code, ThrowingCallable action) {
    return assertThatExceptionOfType(LdapOperationException.class)
        .isThrownBy(action)
        .satisfies(refusal -> assertThat(refusal.result().code()).isEqualTo(code));
  }
}
