package org.nyala.core.access.check;

import java.util.List;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.Condition.Plain;
import org.nyala.core.access.rule.Condition.Protection;
import org.nyala.core.access.rule.Network;
import org.nyala.core.access.rule.Origin;
import org.nyala.core.access.rule.Zone;

/** Compares conditions: whether some certainly hold if others do, and whether any client fits. */
final class ConditionsOrder {
  private ConditionsOrder() {}

  /** Returns whether conditions hold for every client for whom others hold. */
  static boolean follow(List<Condition> conditions, List<Condition> from) {
    return conditions.stream()
        .allMatch(condition -> from.stream().anyMatch(other -> follows(condition, other)));
  }

  /** Returns whether conditions hold for nobody. */
  static boolean areImpossible(List<Condition> conditions) {
    return conditions.contains(Plain.ANONYMOUS)
        && conditions.stream().anyMatch(ConditionsOrder::isOfUsers);
  }

  private static boolean isOfUsers(Condition condition) {
    return switch (condition) {
      case Plain plain -> plain != Plain.ANONYMOUS;
      case Condition.Ancestor _,
          Condition.Descendant _,
          Condition.Named _,
          Condition.InGroup _,
          Condition.InPeople _,
          Condition.ListedIn _ ->
          true;
      case Condition.From _, Condition.Over _, Condition.By _ -> false;
    };
  }

  private static boolean follows(Condition condition, Condition from) {
    if (condition.equals(from)) {
      return true;
    }
    return switch (condition) {
      case Plain plain -> plain == Plain.USERS && isOfUsers(from);
      case Condition.Named whole -> from instanceof Condition.Named part && isPart(whole, part);
      case Condition.From whole ->
          from instanceof Condition.From part && contains(whole.origin(), part.origin());
      case Condition.Over least ->
          from instanceof Condition.Over more
              && (least.kind() == more.kind() || least.kind() == Protection.ANY)
              && least.bits() <= more.bits();
      default -> false;
    };
  }

  /* With captures, names depend on the entry that is asked for. */
  private static boolean isPart(Condition.Named whole, Condition.Named part) {
    return whole.place().name().captures().isEmpty()
        && part.place().name().captures().isEmpty()
        && PlaceOrder.contains(whole.place(), part.place());
  }

  private static boolean contains(Origin whole, Origin part) {
    if (whole.equals(part)) {
      return true;
    }
    if (part instanceof Zone zone) {
      return zone.origins().stream().allMatch(each -> contains(whole, each));
    }
    return switch (whole) {
      case Zone zone -> zone.origins().stream().anyMatch(each -> contains(each, part));
      case Network network ->
          part instanceof Network other
              && other.bits() >= network.bits()
              && network.includes(other.address());
      case Origin.LocalSocket _ -> false;
    };
  }
}
