package org.nyala.core.filter;

import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.filter.CompiledFilter.Constant;
import org.nyala.core.filter.CompiledFilter.ValueItem.Comparison;
import org.nyala.core.message.FilterNode;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.provider.ComputedAttribute;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * Compiles the items of filters about computed attributes, which have no options: with any they are
 * in no entry.
 *
 * <p>Thread-safe.
 */
final class ComputedAssertions {
  private final Schema schema;
  private final @Nullable Membership membership;
  private final AttributeProviders providers;

  ComputedAssertions(Schema schema, @Nullable Membership membership) {
    this.schema = schema;
    this.membership = membership;
    this.providers = AttributeProviders.of(schema, membership != null, false);
  }

  /** Returns the attribute, if values of the type are computed; null if they are stored. */
  @Nullable ComputedAttribute of(AttributeType type) {
    return providers.of(type).computed();
  }

  /** {@code (attribute=value)}. */
  CompiledFilter equality(
      ComputedAttribute attribute, AttributeDescription description, byte[] value) {
    if (!description.options().isEmpty()) {
      return Constant.FALSE;
    }
    MatchingRule rule = description.type().equality();
    return switch (attribute) {
      case HAS_SUBORDINATES -> hasSubordinates(value);
      case NUM_SUBORDINATES, GOVERNING_STRUCTURE_RULE ->
          ComputedNumbers.equality(attribute, rule, value);
      case ENTRY_TTL, PASSWORD_POLICY -> Constant.UNDEFINED;
      case CONTEXT_CSN -> contextCsn(rule, value, Comparison.EQUALITY);
      case ENTRY_DN -> name(value, CompiledFilter.EntryDnItem::new);
      case SUBSCHEMA_SUBENTRY ->
          name(
              value,
              dn ->
                  dn.equals(DnParser.parseStored(schema, subschema()))
                      ? Constant.TRUE
                      : Constant.FALSE);
      case MEMBER_OF -> name(value, dn -> memberOf(dn, membership().nested()));
    };
  }

  private static byte[] subschema() {
    return AttributeProviders.SUBSCHEMA_DN.getBytes(StandardCharsets.UTF_8);
  }

  private static CompiledFilter hasSubordinates(byte[] value) {
    return switch (new String(value, StandardCharsets.UTF_8)) {
      case "TRUE" -> new CompiledFilter.HasSubordinatesItem(true);
      case "FALSE" -> new CompiledFilter.HasSubordinatesItem(false);
      default -> Constant.UNDEFINED;
    };
  }

  private CompiledFilter name(byte[] value, Function<Dn, CompiledFilter> test) {
    try {
      return test.apply(DnParser.parse(schema, new String(value, StandardCharsets.UTF_8)));
    } catch (InvalidDnException _) {
      return Constant.UNDEFINED;
    }
  }

  private static CompiledFilter contextCsn(
      @Nullable MatchingRule rule, byte[] value, Comparison comparison) {
    byte[] assertion = rule == null ? null : AssertionCompiler.assertion(rule, value);
    return assertion == null
        ? Constant.UNDEFINED
        : new CompiledFilter.ContextCsnItem(comparison, assertion);
  }

  private CompiledFilter memberOf(@Nullable Dn group, boolean isTransitive) {
    return new CompiledFilter.MemberOfItem(membership().groupAttributes(), group, isTransitive);
  }

  private Membership membership() {
    Membership known = membership;
    if (known == null) {
      throw new IllegalStateException("memberships are not computed");
    }
    return known;
  }

  /** {@code (attribute>=value)} and {@code (attribute<=value)}. */
  CompiledFilter ordering(
      ComputedAttribute attribute,
      AttributeDescription description,
      byte[] value,
      Comparison comparison) {
    if (!description.options().isEmpty()) {
      return Constant.FALSE;
    }
    MatchingRule rule = description.type().ordering();
    return switch (attribute) {
      case NUM_SUBORDINATES, GOVERNING_STRUCTURE_RULE ->
          ComputedNumbers.ordering(attribute, rule, value, comparison);
      case CONTEXT_CSN -> contextCsn(rule, value, comparison);
      case ENTRY_DN, SUBSCHEMA_SUBENTRY, HAS_SUBORDINATES, ENTRY_TTL, PASSWORD_POLICY, MEMBER_OF ->
          Constant.UNDEFINED;
    };
  }

  /**
   * {@code (attribute=*)}.
   *
   * @param selectors finds the selector of a stored attribute; null if there is none
   */
  CompiledFilter presence(
      ComputedAttribute attribute,
      AttributeDescription description,
      Function<String, @Nullable AttributeSelector> selectors) {
    if (!description.options().isEmpty()) {
      return Constant.FALSE;
    }
    return switch (attribute) {
      case ENTRY_DN, SUBSCHEMA_SUBENTRY, HAS_SUBORDINATES -> Constant.TRUE;
      case NUM_SUBORDINATES, GOVERNING_STRUCTURE_RULE -> ComputedNumbers.presence(attribute);
      case CONTEXT_CSN -> new CompiledFilter.ContextCsnItem(null, new byte[0]);
      case MEMBER_OF -> memberOf(null, false);
      case ENTRY_TTL -> {
        AttributeSelector source = selectors.apply(AttributeProviders.EXPIRE_TIMESTAMP_OID);
        yield source == null ? Constant.UNDEFINED : new CompiledFilter.Presence(source);
      }
      case PASSWORD_POLICY -> Constant.UNDEFINED;
    };
  }

  /** Returns whether an item is by the rule that follows references, and that rule is in force. */
  boolean isChain(FilterNode.Extensible item) {
    return membership != null && Membership.CHAIN_RULE_OID.equals(item.rule());
  }

  /** {@code (attribute:rule:=value)} by the rule that follows references. */
  CompiledFilter chain(@Nullable AttributeSelector selector, FilterNode.Extensible item) {
    if (selector == null || item.dnAttributes() || !selector.description().options().isEmpty()) {
      return Constant.UNDEFINED;
    }
    AttributeType type = selector.description().type();
    if (of(type) == ComputedAttribute.MEMBER_OF) {
      return name(item.value(), dn -> memberOf(dn, true));
    }
    AttributeSelector link = membership().groupAttribute(type);
    return link == null
        ? Constant.UNDEFINED
        : name(item.value(), dn -> new CompiledFilter.ChainItem(link, dn));
  }
}
