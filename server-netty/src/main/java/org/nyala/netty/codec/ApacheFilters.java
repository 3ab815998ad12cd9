package org.nyala.netty.codec;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.directory.api.ldap.model.filter.AndNode;
import org.apache.directory.api.ldap.model.filter.ApproximateNode;
import org.apache.directory.api.ldap.model.filter.BranchNode;
import org.apache.directory.api.ldap.model.filter.EqualityNode;
import org.apache.directory.api.ldap.model.filter.ExprNode;
import org.apache.directory.api.ldap.model.filter.ExtensibleNode;
import org.apache.directory.api.ldap.model.filter.GreaterEqNode;
import org.apache.directory.api.ldap.model.filter.LessEqNode;
import org.apache.directory.api.ldap.model.filter.NotNode;
import org.apache.directory.api.ldap.model.filter.OrNode;
import org.apache.directory.api.ldap.model.filter.PresenceNode;
import org.apache.directory.api.ldap.model.filter.SubstringNode;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.FilterNode;

/** Filters made of those of the Apache codec. */
final class ApacheFilters {
  private ApacheFilters() {}

  /** Returns the same filter as the codec's. */
  static FilterNode of(ExprNode node) {
    return switch (node) {
      case AndNode and -> new FilterNode.And(children(and));
      case OrNode or -> new FilterNode.Or(children(or));
      case NotNode not -> new FilterNode.Not(of(not.getFirstChild()));
      case PresenceNode f -> new FilterNode.Present(f.getAttribute());
      case SubstringNode f -> substrings(f);
      case ExtensibleNode f ->
          new FilterNode.Extensible(
              f.getMatchingRuleId(),
              f.getAttribute(),
              ApacheRequests.octets(f.getValue()),
              f.hasDnAttributes());
      case EqualityNode<?> f ->
          new FilterNode.Equality(f.getAttribute(), ApacheRequests.octets(f.getValue()));
      case GreaterEqNode<?> f ->
          new FilterNode.GreaterOrEqual(f.getAttribute(), ApacheRequests.octets(f.getValue()));
      case LessEqNode<?> f ->
          new FilterNode.LessOrEqual(f.getAttribute(), ApacheRequests.octets(f.getValue()));
      case ApproximateNode<?> f ->
          new FilterNode.Approximate(f.getAttribute(), ApacheRequests.octets(f.getValue()));
      default -> throw new IllegalArgumentException("not a filter");
    };
  }

  private static List<FilterNode> children(BranchNode node) {
    List<FilterNode> children = new ArrayList<>(4);
    for (ExprNode child : node.getChildren()) {
      children.add(of(child));
    }
    return children;
  }

  // The checker does not see the annotations of a compact constructor's arrays in class files.
  @SuppressWarnings("NullAway")
  private static FilterNode substrings(SubstringNode node) {
    List<byte[]> any = new ArrayList<>(2);
    for (String piece : node.getAny()) {
      any.add(piece.getBytes(StandardCharsets.UTF_8));
    }
    return new FilterNode.Substrings(
        node.getAttribute(), utf8(node.getInitial()), any, utf8(node.getFinal()));
  }

  private static byte @Nullable [] utf8(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }
}
