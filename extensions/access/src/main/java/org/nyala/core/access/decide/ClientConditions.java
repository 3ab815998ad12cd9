package org.nyala.core.access.decide;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.decide.ClientRule.Residual;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.Group;
import org.nyala.core.access.rule.LimitStatement;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.message.FilterNode;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.schema.AttributeType;

/**
 * Decides the conditions about one client; those about entries remain.
 *
 * <p>Confined to one thread.
 */
final class ClientConditions {
  private final CompiledRules compiled;
  private final ClientFacts client;
  private final GroupMemberships memberships;
  private final List<CompiledFilter> filters;
  private final List<AttributeType> listing = new ArrayList<>();

  ClientConditions(CompiledRules compiled, ClientFacts client, GroupMemberships memberships) {
    this.compiled = compiled;
    this.client = client;
    this.memberships = memberships;
    this.filters = new ArrayList<>(compiled.filters());
  }

  /** The filters of the rules, then those for the attributes that list the client. */
  List<CompiledFilter> filters() {
    return filters;
  }

  /** Returns what remains of the rules. */
  List<ClientRule> rules() {
    List<ClientRule> remaining = new ArrayList<>();
    for (CompiledRule rule : compiled.rules()) {
      ClientRule left = new ClientRule(rule, clauses(rule));
      remaining.add(left);
      if (left.isLast()) {
        break;
      }
    }
    return remaining;
  }

  private List<ClientRule.Part> clauses(CompiledRule rule) {
    List<ClientRule.Part> parts = new ArrayList<>();
    for (int i = 0; i < rule.clauses().size(); i++) {
      ClientRule.Part part = part(i, rule.clauses().get(i));
      if (part != null) {
        parts.add(part);
        boolean fitsAll = part.residuals().isEmpty() && !part.isForOwnValue();
        if (fitsAll && rule.flow(i) != Flow.CONTINUE) {
          break;
        }
      }
    }
    return parts;
  }

  /** Returns what remains of a clause; null if it never fits. */
  private ClientRule.@Nullable Part part(int number, Clause clause) {
    List<Residual> residuals = new ArrayList<>(2);
    boolean isForOwnValue = false;
    for (Condition condition : clause.conditions()) {
      if (condition == Condition.Plain.OWN_VALUE) {
        isForOwnValue = true;
      }
      if (!add(condition, residuals)) {
        return null;
      }
    }
    return new ClientRule.Part(number, isForOwnValue, List.copyOf(residuals));
  }

  /** Returns the first limit for the client; null if there is none. */
  @Nullable LimitStatement limit() {
    for (LimitStatement limit : compiled.limits()) {
      if (hold(limit.conditions())) {
        return limit;
      }
    }
    return null;
  }

  /** Returns whether conditions hold, none of which is about an entry. */
  private boolean hold(List<Condition> conditions) {
    for (Condition condition : conditions) {
      if (!add(condition, new ArrayList<>(0))) {
        return false;
      }
    }
    return true;
  }

  /** Adds what remains of a condition; false if it never holds. */
  private boolean add(Condition condition, List<Residual> residuals) {
    Dn user = client.name();
    return switch (condition) {
      case Condition.Plain.ANONYMOUS -> user == null;
      case Condition.From _, Condition.Over _, Condition.By _ -> holds(condition, client);
      default -> user != null && add(condition, user, residuals);
    };
  }

  /** Returns whether a condition about the connection holds. */
  static boolean holds(Condition condition, ClientFacts client) {
    return switch (condition) {
      case Condition.From from -> from.origin().includes(client.address());
      case Condition.Over over -> bits(over.kind(), client) >= over.bits();
      case Condition.By by -> by.mechanism().equalsIgnoreCase(client.mechanism());
      default -> throw new IllegalArgumentException("not about connections: " + condition);
    };
  }

  /** Returns the number of bits by which a connection is protected; the most of all for any. */
  private static int bits(Condition.Protection kind, ClientFacts client) {
    return switch (kind) {
      case ANY -> client.bits();
      case TLS -> client.tls();
      case SASL -> client.sasl();
      case TRANSPORT -> client.transport();
    };
  }

  private boolean add(Condition condition, Dn user, List<Residual> residuals) {
    return switch (condition) {
      case Condition.Plain.SELF -> residuals.add(new Residual.Named(user));
      case Condition.Ancestor above -> residuals.add(new Residual.Below(above.levels()));
      case Condition.Descendant below ->
          below.levels() <= user.rdnCount()
              && residuals.add(new Residual.Named(user.ancestor(below.levels())));
      case Condition.Named named -> addCaptured(new CompiledPlace(named.place()), user, residuals);
      case Condition.InGroup in -> addGroup(in.group(), residuals);
      case Condition.InPeople in -> isAmong(in.people().members(), user);
      case Condition.ListedIn listed -> addListed(listed.attribute(), user, residuals);
      default -> true;
    };
  }

  private boolean isAmong(List<Condition> members, Dn user) {
    for (Condition member : members) {
      if (add(member, user, new ArrayList<>(0))) {
        return true;
      }
    }
    return false;
  }

  private boolean addGroup(Group group, List<Residual> residuals) {
    return group.name().isFixed()
        ? memberships.isMember(group)
        : residuals.add(new Residual.InGroup(group));
  }

  /** Adds the values that captures have to have for the user's name to be in the place. */
  private static boolean addCaptured(CompiledPlace place, Dn user, List<Residual> residuals) {
    if (!place.contains(user)) {
      return false;
    }
    int levels = place.levelsUp(user.rdnCount());
    for (int i = 0; i < place.depth(); i++) {
      String capture = place.captureAt(i);
      if (capture != null) {
        byte[] rdn = user.normalizedRdn(levels + i);
        int start = place.rdn(i).bytes().length;
        residuals.add(new Residual.Captured(capture, Arrays.copyOfRange(rdn, start, rdn.length)));
      }
    }
    return true;
  }

  /** Adds the filter that finds the user's name among the values of an attribute. */
  private boolean addListed(AttributeType attribute, Dn user, List<Residual> residuals) {
    int known = listing.indexOf(attribute);
    if (known < 0) {
      CompiledFilter filter = listed(attribute, user);
      if (filter instanceof CompiledFilter.Constant constant) {
        return constant == CompiledFilter.Constant.TRUE;
      }
      known = listing.size();
      listing.add(attribute);
      filters.add(filter);
    }
    return residuals.add(new Residual.Matching(compiled.filters().size() + known));
  }

  private CompiledFilter listed(AttributeType attribute, Dn user) {
    try {
      return compiled.compiler().compileOwn(new FilterNode.Equality(attribute.oid(), user.raw()));
    } catch (FilterLimitException e) {
      throw new IllegalStateException("a filter of one item is too large", e);
    }
  }
}
