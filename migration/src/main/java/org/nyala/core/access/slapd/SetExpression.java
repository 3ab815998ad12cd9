package org.nyala.core.access.slapd;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.Condition.Plain;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.Group;
import org.nyala.core.dn.Dn;
import org.nyala.core.schema.AttributeType;

/** Reads the sets of slapd that ask for the members of one group, or for a list in the entry. */
final class SetExpression {
  private static final String NAMES = "1.3.6.1.4.1.1466.115.121.1.12";
  private static final Pattern GROUP = Pattern.compile("\\[([^\\[\\]]+)]/([A-Za-z0-9-]+)(\\*?)");
  private static final Pattern LISTED = Pattern.compile("this/([A-Za-z0-9-]+)");
  private static final Pattern WITH_USER = Pattern.compile("(.+?) *& *user|user *& *(.+)");

  private SetExpression() {}

  static @Nullable Condition read(Wording wording, String text) {
    Matcher both = WITH_USER.matcher(text.strip());
    if (!both.matches()) {
      return null;
    }
    String other = both.group(1) == null ? both.group(2) : both.group(1);
    if (other.equals("this")) {
      return Plain.SELF;
    }
    Matcher listed = LISTED.matcher(other);
    if (listed.matches()) {
      AttributeType type = names(wording, listed.group(1));
      return type == null ? null : new Condition.ListedIn(type);
    }
    Matcher group = GROUP.matcher(other);
    return group.matches() ? group(wording, group) : null;
  }

  private static @Nullable Condition group(Wording wording, Matcher group) {
    Dn name = wording.name(group.group(1));
    AttributeType type = names(wording, group.group(2));
    if (name == null || name.rdnCount() == 0 || type == null) {
      return null;
    }
    boolean isNested = !group.group(3).isEmpty();
    return new Condition.InGroup(new Group(DnPattern.of(name), isNested, null, type));
  }

  /* Sets compare values as they are, and know no subtypes. */
  private static @Nullable AttributeType names(Wording wording, String name) {
    AttributeType type = wording.schema().attributeType(name);
    if (type == null || !type.syntax().oid().equals(NAMES)) {
      return null;
    }
    return wording.hasSubtypes(type) ? null : type;
  }
}
