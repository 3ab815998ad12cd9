package org.nyala.core.filter;

import java.util.List;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.dn.NamingValue;
import org.nyala.core.entry.EntryView;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * The items of filters that look at an entry's name, which is parsed for them: slow, and rare.
 *
 * <p>Thread-safe.
 */
final class NameMatcher {
  private final Schema schema;

  NameMatcher(Schema schema) {
    this.schema = schema;
  }

  boolean isNamed(EntryView entry, Dn name) {
    return name.equals(parse(entry));
  }

  /** Returns whether a value in the entry's name, of its own RDN or one above, passes the test. */
  boolean anyNamingValue(
      CompiledFilter.ExtensibleItem test,
      EntryView entry,
      AttributeSelection.Visibility visibility) {
    Dn name = parse(entry);
    for (int i = 0; i < name.rdnCount(); i++) {
      for (NamingValue value : namingValues(name.rdn(i))) {
        if (test.selectsNaming(value.type(), visibility) && matches(test, value.value())) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean matches(CompiledFilter.ExtensibleItem test, byte[] value) {
    MatchingRule rule = test.rule();
    ByteAppender normalized = new ByteAppender(value.length + 8);
    return rule.valueNormalizer().normalize(value, 0, value.length, normalized)
        && FilterMatcher.compares(rule, normalized.array(), normalized.length(), test.assertion());
  }

  private Dn parse(EntryView entry) {
    try {
      return DnParser.parse(schema, entry.dn(), Integer.MAX_VALUE, Integer.MAX_VALUE);
    } catch (InvalidDnException e) {
      throw new IllegalStateException("entry " + entry.id() + " has an invalid name", e);
    }
  }

  private List<NamingValue> namingValues(byte[] rdn) {
    try {
      return DnParser.namingValues(schema, rdn);
    } catch (InvalidDnException e) {
      throw new IllegalStateException("an entry has an invalid RDN", e);
    }
  }
}
