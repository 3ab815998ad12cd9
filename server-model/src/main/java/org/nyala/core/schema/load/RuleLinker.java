package org.nyala.core.schema.load;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.nyala.core.schema.DitContentRule;
import org.nyala.core.schema.DitStructureRule;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.NameForm;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.SchemaRules;

/**
 * Resolves the references of the rules about entries' content and place, once attribute types and
 * object classes are linked.
 *
 * <p>Confined to one running operation.
 */
final class RuleLinker {
  private final SchemaLinker linker;
  private final SchemaConsistency contradictions;
  private final Map<String, Definition.OfContentRule> contentRules = new LinkedHashMap<>();
  private final Map<String, Definition.OfNameForm> forms = new LinkedHashMap<>();
  private final Map<String, Definition.OfNameForm> formNames = new LinkedHashMap<>();
  private final Map<Integer, Definition.OfStructureRule> structureRules = new LinkedHashMap<>();
  private final Map<String, NameForm> linkedForms = new LinkedHashMap<>();

  RuleLinker(SchemaLinker linker, SchemaConsistency contradictions) {
    this.linker = linker;
    this.contradictions = contradictions;
  }

  void register(Definition.OfContentRule definition) {
    contentRules.putIfAbsent(definition.oid(), definition);
  }

  void register(Definition.OfNameForm definition) {
    SchemaLinker.register(definition, forms, formNames);
  }

  void register(Definition.OfStructureRule definition) {
    structureRules.putIfAbsent(definition.ruleId(), definition);
  }

  /** The linked rules, in the order of definition. */
  SchemaRules link() {
    SchemaRules rules = new SchemaRules();
    contentRules.values().forEach(definition -> rules.add(linked(definition)));
    for (Definition.OfNameForm definition : forms.values()) {
      NameForm form = linked(definition);
      linkedForms.put(form.oid(), form);
      rules.add(form);
    }
    structureRules.values().forEach(definition -> rules.add(linked(definition)));
    return rules;
  }

  private DitContentRule linked(Definition.OfContentRule definition) {
    ObjectClass structural = linker.objectClass(definition.oid(), definition);
    requireStructural(structural, definition);
    Set<ObjectClass> auxiliaries = new LinkedHashSet<>();
    for (String reference : definition.auxiliaries()) {
      ObjectClass auxiliary = linker.objectClass(reference, definition);
      if (auxiliary.kind() != ObjectClass.Kind.AUXILIARY) {
        throw new InvalidSchemaException(
            definition.where() + ": '" + reference + "' in AUX is not an auxiliary object class");
      }
      auxiliaries.add(auxiliary);
    }
    DitContentRule rule =
        new DitContentRule(
            definition.oid(),
            definition.names(),
            definition.heading().description(),
            definition.heading().obsolete(),
            auxiliaries,
            linker.attributeSet(definition.must(), definition),
            linker.attributeSet(definition.may(), definition),
            linker.attributeSet(definition.not(), definition));
    contradictions.check(definition, structural, rule);
    return rule;
  }

  private NameForm linked(Definition.OfNameForm definition) {
    ObjectClass structural = linker.objectClass(definition.objectClass(), definition);
    requireStructural(structural, definition);
    return new NameForm(
        definition.oid(),
        definition.names(),
        definition.heading().description(),
        definition.heading().obsolete(),
        structural,
        linker.attributeSet(definition.must(), definition),
        linker.attributeSet(definition.may(), definition));
  }

  private static void requireStructural(ObjectClass objectClass, Definition from) {
    if (objectClass.kind() != ObjectClass.Kind.STRUCTURAL) {
      throw new InvalidSchemaException(
          from.where() + ": '" + objectClass.name() + "' is not a structural object class");
    }
  }

  private DitStructureRule linked(Definition.OfStructureRule definition) {
    Definition.OfNameForm form = forms.get(definition.form());
    if (form == null) {
      form = formNames.get(definition.form().toLowerCase(Locale.ROOT));
    }
    if (form == null) {
      throw SchemaLinker.unknown("name form", definition.form(), definition);
    }
    List<Integer> superiorIds = definition.superiorIds();
    for (Integer superior : superiorIds) {
      if (!structureRules.containsKey(superior)) {
        throw SchemaLinker.unknown("structure rule", superior.toString(), definition);
      }
    }
    return new DitStructureRule(
        definition.ruleId(),
        definition.names(),
        definition.heading().description(),
        definition.heading().obsolete(),
        Objects.requireNonNull(linkedForms.get(form.oid())),
        Set.copyOf(superiorIds));
  }
}
