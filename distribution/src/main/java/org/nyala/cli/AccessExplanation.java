package org.nyala.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.config.NyalaConfig;
import org.nyala.core.access.decide.DecidedRules;
import org.nyala.core.access.decide.Decision;
import org.nyala.core.access.decide.RuledProfile;
import org.nyala.core.access.enforce.GroupLookup;
import org.nyala.core.access.enforce.RuledControl;
import org.nyala.core.access.enforce.RuledRights;
import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.access.rule.Group;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.rights.Answer;
import org.nyala.core.rights.Right;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.server.StoredRules;

/**
 * The rights of a client to an entry, its children and its attributes, with the statements that
 * decide.
 *
 * <p>Immutable.
 *
 * @param question the question
 * @param groups the groups that rules name and the client is in
 * @param exists true if there is an entry of this name in the store
 * @param subjects what there are rights to
 * @param tree the name at the top of the tree of the entry that is closed to wide rules; null if it
 *     is in none
 * @param isHidden true if no rule names a place in the tree, so that none gives anything
 */
record AccessExplanation(
    AccessQuestion question,
    List<String> groups,
    boolean exists,
    List<Subject> subjects,
    @Nullable Dn tree,
    boolean isHidden) {
  /**
   * The rights to one thing.
   *
   * @param name {@code entry}, {@code children} or the description of an attribute
   * @param decision the rights, and the statements that give them
   * @param depending further rights to some of the values
   */
  record Subject(String name, Decision decision, Set<Right> depending) {
    Subject {
      depending = Set.copyOf(depending);
    }
  }

  AccessExplanation {
    groups = List.copyOf(groups);
    subjects = List.copyOf(subjects);
  }

  /**
   * Answers a question.
   *
   * @param tree the name at the top of the tree of the entry that is closed to wide rules; null if
   *     it is in none
   * @throws CommandException if the rules cannot be read, or the client is in too many groups
   */
  static AccessExplanation of(
      AccessQuestion question, @Nullable Dn tree, LmdbBackend backend, NyalaConfig configuration) {
    try {
      return of(
          question, tree, StoredRules.control(question.rules(), backend, configuration), backend);
    } catch (InvalidRulesException e) {
      throw CommandException.usage(ErrorMessages.line(e));
    } catch (LdapOperationException e) {
      throw CommandException.failed(ErrorMessages.line(e));
    }
  }

  private static AccessExplanation of(
      AccessQuestion question, @Nullable Dn tree, RuledControl control, LmdbBackend backend)
      throws LdapOperationException {
    GroupLookup lookup = control.lookUp(question.client());
    DecidedRules rules = complete(lookup.go(Pace.UNBOUNDED));
    List<String> groups =
        lookup.groups().stream().map(Group::name).map(Object::toString).sorted().toList();
    RuledRights everywhere = new RuledRights(control, rules);
    RuledRights rights = tree == null ? everywhere : everywhere.inTree(tree);
    if (tree != null && !rules.nameWithin(tree)) {
      return new AccessExplanation(question, groups, false, List.of(), tree, true);
    }
    try (ReadTransaction transaction = backend.beginRead()) {
      EntryView view = new EntryView();
      boolean isStored = tree == null && StoredRules.isHeld(question.target(), backend);
      long id = isStored ? transaction.find(question.target()) : ReadTransaction.NO_ENTRY;
      boolean exists = id != ReadTransaction.NO_ENTRY && transaction.read(id, view);
      rights.beginSlice(backend, transaction);
      RuledProfile profile =
          exists ? rights.of(view, transaction) : rights.of(question.target(), Pace.UNBOUNDED);
      return new AccessExplanation(
          question,
          groups,
          exists,
          subjects(question, complete(profile), exists ? attributes(view, transaction) : List.of()),
          tree,
          false);
    }
  }

  private static <T> T complete(@Nullable T found) {
    if (found == null) {
      throw new IllegalStateException("an unbounded slice has ended");
    }
    return found;
  }

  private static List<AttributeDescription> attributes(
      EntryView view, ReadTransaction transaction) {
    List<AttributeDescription> attributes = new ArrayList<>();
    for (int i = 0; i < view.attributeCount(); i++) {
      attributes.add(transaction.attributes().description(view.attributeId(i)));
    }
    return attributes;
  }

  private static List<Subject> subjects(
      AccessQuestion question, RuledProfile profile, List<AttributeDescription> present) {
    List<Subject> subjects = new ArrayList<>();
    AttributeDescription attribute = question.attribute();
    if (attribute != null) {
      subjects.add(subject(profile, attribute, question.value()));
      return subjects;
    }
    subjects.add(new Subject("entry", profile.explain(Pseudo.ENTRY), Set.of()));
    subjects.add(new Subject("children", profile.explain(Pseudo.CHILDREN), Set.of()));
    present.forEach(each -> subjects.add(subject(profile, each, null)));
    return subjects;
  }

  private static Subject subject(
      RuledProfile profile, AttributeDescription attribute, @Nullable String value) {
    byte[] asked = value == null ? null : value.getBytes(UTF_8);
    Set<Right> depending = EnumSet.noneOf(Right.class);
    for (Right right : Right.values()) {
      if (value == null && profile.onValues(attribute, right) == Answer.DEPENDS) {
        depending.add(right);
      }
    }
    return new Subject(attribute.name(), profile.explain(attribute, asked), depending);
  }
}
