package org.nyala.core.sasl;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A rule that turns the name of a user into the name of an entry (slapd.conf(5), {@code
 * authz-regexp}): into one that is made of it, or that of the only entry that a search finds.
 *
 * <p>Immutable.
 */
public final class NameRule {
  private final String text;
  private final Set<SaslMechanism> mechanisms;
  private final NameSource source;
  private final NamePattern pattern;
  private final @Nullable NameTemplate dn;
  private final @Nullable String base;
  private final boolean isOneLevel;
  private final @Nullable NameTemplate filter;

  private NameRule(
      String text,
      Set<SaslMechanism> mechanisms,
      NamePattern pattern,
      @Nullable NameTemplate dn,
      @Nullable String base,
      boolean isOneLevel,
      @Nullable NameTemplate filter) {
    this.text = EnumSet.copyOf(mechanisms) + " " + pattern + " " + text;
    this.mechanisms = Set.copyOf(mechanisms);
    this.source = NameSource.SUBJECT;
    this.pattern = pattern;
    this.dn = dn;
    this.base = base;
    this.isOneLevel = isOneLevel;
    this.filter = filter;
  }

  private NameRule(NameRule rule, NameSource source) {
    this.text = source.label() + " of " + rule.text;
    this.mechanisms = Set.of(SaslMechanism.EXTERNAL);
    this.source = source;
    this.pattern = rule.pattern;
    this.dn = rule.dn;
    this.base = rule.base;
    this.isOneLevel = rule.isOneLevel;
    this.filter = rule.filter;
  }

  /** Returns the same rule for another part of clients' certificates, and for EXTERNAL alone. */
  public NameRule in(NameSource other) {
    return new NameRule(this, other);
  }

  /** Returns the mechanisms to whose names it applies. */
  public Set<SaslMechanism> mechanisms() {
    return mechanisms;
  }

  /** Returns the part of a client's certificate in which it looks for the name. */
  public NameSource source() {
    return source;
  }

  /**
   * Creates a rule whose entry has a name made of the user's.
   *
   * @param mechanisms those to whose names it applies
   * @param dn the name, with groups of the pattern
   * @throws IllegalArgumentException if it names a group that there is none of
   */
  public static NameRule naming(Set<SaslMechanism> mechanisms, NamePattern pattern, String dn) {
    NameTemplate template = new NameTemplate(dn, pattern.groups());
    return new NameRule("is " + dn, mechanisms, pattern, template, null, false, null);
  }

  /**
   * Creates a rule whose entry is found by a search.
   *
   * @param mechanisms those to whose names it applies
   * @param base the name of the base; empty for all naming contexts
   * @param isOneLevel true if only entries right below the base count, otherwise the whole subtree
   * @param filter the filter, with groups of the pattern
   * @throws IllegalArgumentException if it names a group that there is none of, or has one anywhere
   *     but in a value
   */
  public static NameRule searching(
      Set<SaslMechanism> mechanisms,
      NamePattern pattern,
      String base,
      boolean isOneLevel,
      String filter) {
    requireValues(filter);
    NameTemplate template = new NameTemplate(filter, pattern.groups());
    String search = "by " + base + (isOneLevel ? " one " : " sub ") + filter;
    return new NameRule(search, mechanisms, pattern, null, base, isOneLevel, template);
  }

  private static void requireValues(String filter) {
    for (int at = filter.indexOf('$'); at >= 0; at = filter.indexOf('$', at + 2)) {
      int equals = filter.lastIndexOf('=', at);
      if (equals < 0 || equals < filter.lastIndexOf('(', at)) {
        throw new IllegalArgumentException("expected $ in values only in '" + filter + "'");
      }
    }
  }

  /**
   * The outcome of a rule.
   *
   * @param dn the name of the entry; null if it is to be searched for
   * @param isGiven true if the configuration gives the name as a whole, so that it may be root's
   * @param base the base of the search, empty for all naming contexts
   * @param isOneLevel true if only entries right below the base count
   * @param filter the filter of the search, empty if there is none
   */
  public record Target(
      @Nullable String dn, boolean isGiven, String base, boolean isOneLevel, String filter) {
    /** The outcome for names of which a rule makes nothing. */
    static final Target NOBODY = new Target(null, false, "", false, "");

    /** Returns whether there is no entry, and no search for one. */
    public boolean isNobody() {
      return dn == null && filter.isEmpty();
    }
  }

  /** Returns the outcome for a name; null if the rule does not apply to it. */
  public @Nullable Target target(SaslMechanism mechanism, String name) {
    if (!mechanisms.contains(mechanism)) {
      return null;
    }
    List<String> groups;
    try {
      groups = pattern.match(name);
    } catch (NamePattern.TooLongException _) {
      return Target.NOBODY;
    }
    return groups == null ? null : target(groups);
  }

  private Target target(List<String> groups) {
    NameTemplate named = dn;
    if (named != null) {
      return named.isFilledBy(groups)
          ? new Target(
              named.fill(groups, NameRule::escapedInDn), !named.isVariable(), "", false, "")
          : Target.NOBODY;
    }
    NameTemplate searched = filter;
    if (searched == null || base == null) {
      throw new IllegalStateException("a rule without an outcome");
    }
    return searched.isFilledBy(groups)
        ? new Target(
            null, false, base, isOneLevel, searched.fill(groups, NameRule::escapedInFilter))
        : Target.NOBODY;
  }

  /** Returns the outcome for some name, to see whether outcomes are names and filters at all. */
  public Target example() {
    return target(Collections.nCopies(pattern.groups() + 1, "a"));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof NameRule rule && text.equals(rule.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }

  /**
   * Returns the name of a user of Kerberos for whom there is no rule, in slapd's form: {@code
   * uid=ann,cn=example.com,cn=gssapi,cn=auth}.
   */
  public static String ofKerberos(String principal) {
    int at = principal.lastIndexOf('@');
    String user = at < 0 ? principal : principal.substring(0, at);
    String realm = at < 0 ? "" : ",cn=" + escapedInDn(principal.substring(at + 1));
    return "uid=" + escapedInDn(user) + realm + ",cn=gssapi,cn=auth";
  }

  /**
   * Makes text a value of an RDN: every octet that may mean something in hexadecimal (RFC 4514).
   */
  static String escapedInDn(String text) {
    return escaped(text, "\\\"+,;<>= #/\0");
  }

  /** Makes text a value of a filter (RFC 4515, section 3). */
  static String escapedInFilter(String text) {
    return escaped(text, "\\*()\0");
  }

  private static String escaped(String text, String special) {
    StringBuilder escaped = new StringBuilder(text.length());
    for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
      if (each < ' ' || each == 0x7F || special.indexOf(each) >= 0) {
        escaped.append('\\').append(HexFormat.of().toHexDigits(each));
      } else {
        escaped.append((char) each);
      }
    }
    return escaped.toString();
  }
}
