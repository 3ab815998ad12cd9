package org.nyala.core.access.enforce;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.Group;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.Where;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.FilterNode;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.rights.Right;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * The terms of a delegation: rules of the subtree say nothing by which their author would find out,
 * or cause work, beyond it. They do not give the right to act as others, ask for no groups outside
 * of the subtree or nested ones but through the people of the file, and not for memberships of
 * entries.
 *
 * <p>Confined to one thread.
 */
final class DelegationTerms {
  private final Dn subtree;
  private final Schema schema;

  DelegationTerms(Dn subtree, Schema schema) {
    this.subtree = subtree;
    this.schema = schema;
  }

  /**
   * Requires that a rule keeps to the terms.
   *
   * @throws InvalidRulesException if it does not
   */
  void require(Rule rule) throws InvalidRulesException {
    Where where = rule.target().where();
    if (where != null && asksMemberships(where.filter())) {
      throw new InvalidRulesException(
          rule.source(),
          "found a filter that asks for memberships, which only the file of rules may do");
    }
    for (Clause clause : rule.clauses()) {
      Grant grant = clause.grant();
      if (grant.mode() != Grant.Mode.REMOVE && grant.rights().contains(Right.PROXY)) {
        throw new InvalidRulesException(
            clause.source(), "found 'proxy', a right that only the file of rules gives");
      }
      for (Condition condition : clause.conditions()) {
        if (condition instanceof Condition.InGroup in && !isOfSubtree(in.group())) {
          throw new InvalidRulesException(
              clause.source(),
              "found a group that is nested, has captures or is outside of the subtree: people of"
                  + " the file of rules may be such groups");
        }
      }
    }
  }

  private boolean isOfSubtree(Group group) {
    return !group.isNested() && group.name().isFixed() && group.name().dn().isWithin(subtree);
  }

  private boolean asksMemberships(FilterNode filter) {
    return switch (filter) {
      case FilterNode.And and -> anyAsks(and.nodes());
      case FilterNode.Or or -> anyAsks(or.nodes());
      case FilterNode.Not not -> asksMemberships(not.node());
      case FilterNode.Present item -> isMemberOf(item.attribute());
      case FilterNode.Equality item -> isMemberOf(item.attribute());
      case FilterNode.Approximate item -> isMemberOf(item.attribute());
      case FilterNode.GreaterOrEqual item -> isMemberOf(item.attribute());
      case FilterNode.LessOrEqual item -> isMemberOf(item.attribute());
      case FilterNode.Substrings item -> isMemberOf(item.attribute());
      case FilterNode.Extensible item -> isMemberOf(item.attribute());
    };
  }

  private boolean anyAsks(List<FilterNode> filters) {
    return filters.stream().anyMatch(this::asksMemberships);
  }

  /** Returns whether an attribute is {@code memberOf}, or stands for it with others. */
  private boolean isMemberOf(@Nullable String attribute) {
    if (attribute == null) {
      return true;
    }
    int semicolon = attribute.indexOf(';');
    AttributeType type =
        schema.attributeType(semicolon < 0 ? attribute : attribute.substring(0, semicolon));
    AttributeType memberOf = AttributeProviders.memberships(schema);
    for (AttributeType each = memberOf; each != null; each = each.superior()) {
      if (each.equals(type)) {
        return true;
      }
    }
    return false;
  }
}
