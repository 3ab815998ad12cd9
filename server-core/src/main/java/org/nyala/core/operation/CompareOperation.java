package org.nyala.core.operation;

import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.EntryTests;
import org.nyala.core.directory.NameResolution;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.Compilation;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryTest;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.bind.SaslOffer;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.session.TimeLimit;

/** A compare (RFC 4511, section 4.10). Confined to one running operation. */
final class CompareOperation implements OperationBody {
  static final Set<ControlType> CONTROLS =
      Set.of(
          ControlType.MANAGE_DSA_IT,
          ControlType.ASSERTION,
          ControlType.PROXIED_AUTHORIZATION,
          ControlType.DONT_USE_COPY,
          ControlType.SESSION_TRACKING);

  private final OperationContext directory;
  private final Request.Compare request;
  private final SlicePace pace;
  private @Nullable Tests tests;

  CompareOperation(OperationContext directory, Request.Compare request) {
    this.directory = directory;
    this.request = request;
    this.pace = new SlicePace(directory.nanoClock());
  }

  /** The tests of the entry, and their progress. */
  private static final class Tests {
    final Dn name;
    final boolean manageDsaIt;
    final TimeLimit timeLimit;
    final Compilation compilation = new Compilation();
    @Nullable FilterNode asserted;
    @Nullable EntryTest required;
    @Nullable EntryTest assertion;
    @Nullable EntryTest presence;

    Tests(Dn name, boolean manageDsaIt, TimeLimit timeLimit) {
      this.name = name;
      this.manageDsaIt = manageDsaIt;
      this.timeLimit = timeLimit;
    }
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    Tests known = tests;
    if (known == null) {
      known = begin(operation);
      tests = known;
    } else {
      known.timeLimit.check(directory.nanoTime());
    }
    pace.begin(operation, budget);
    if (!isCompiled(known)) {
      return Outcome.YIELDED;
    }
    OperationScratch scratch = directory.scratch();
    VirtualEntry virtual =
        SaslOffer.virtualEntry(directory, operation.session().connection(), known.name);
    ResultCode code;
    if (virtual != null) {
      virtual.show(scratch.view);
      code = compare(operation, known, scratch, virtual.table(), VirtualEntry::hasSubordinates);
    } else {
      code = compare(operation, known, scratch);
    }
    if (code == null) {
      return Outcome.YIELDED;
    }
    operation.sink().result(request, LdapResult.of(code));
    return Outcome.DONE;
  }

  /** Compares carry no time limit of their own. */
  private Tests begin(Operation operation) throws LdapOperationException {
    RequestControls controls = operation.controls();
    Tests begun =
        new Tests(
            directory.scratch().names.parse(request.name()),
            controls.has(ControlType.MANAGE_DSA_IT),
            TimeLimit.of(directory.limits(), operation, 0));
    begun.asserted = AssertionControl.decode(directory.reading(), controls);
    return begun;
  }

  /** Compiles the assertion; false if the slice ends before. */
  private boolean isCompiled(Tests known) throws LdapOperationException {
    FilterNode asserted = known.asserted;
    if (asserted == null) {
      return true;
    }
    CompiledFilter required =
        AssertionControl.compile(directory.reading(), asserted, known.compilation.begin(pace));
    if (required == null) {
      return false;
    }
    known.required = new EntryTest(required);
    known.asserted = null;
    return true;
  }

  private @Nullable ResultCode compare(Operation operation, Tests known, OperationScratch scratch)
      throws LdapOperationException {
    try (ReadTransaction transaction =
        directory.backendOf(known.name, operation.identity()).beginRead()) {
      NameResolution resolution =
          new NameResolution(directory.reading(), scratch, known.manageDsaIt, null);
      long id = resolution.find(transaction, known.name);
      if (!transaction.read(id, scratch.view)) {
        throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
      }
      return compare(
          operation, known, scratch, transaction.attributes(), directory.probe(transaction));
    }
  }

  /** Null if the slice ends before it is known. */
  private @Nullable ResultCode compare(
      Operation operation,
      Tests known,
      OperationScratch scratch,
      AttributeTable table,
      LongPredicate hasSubordinates)
      throws LdapOperationException {
    EntryTest required = known.required;
    if (required != null) {
      if (!AssertionControl.check(required, scratch, table, hasSubordinates, pace)) {
        return null;
      }
      known.required = null;
    }
    EntryTest assertion = known.assertion;
    if (assertion == null) {
      assertion = prepare(operation, known);
    }
    EntryTest presence = known.presence;
    if (presence != null) {
      Ternary isPresent = EntryTests.value(presence, scratch, table, hasSubordinates, pace);
      if (isPresent != Ternary.TRUE) {
        return isPresent == null ? null : ResultCode.NO_SUCH_ATTRIBUTE;
      }
      known.presence = null;
    }
    Ternary value = EntryTests.value(assertion, scratch, table, hasSubordinates, pace);
    if (value == null) {
      return null;
    }
    return value == Ternary.TRUE ? ResultCode.COMPARE_TRUE : ResultCode.COMPARE_FALSE;
  }

  private EntryTest prepare(Operation operation, Tests known) throws LdapOperationException {
    AttributeDescription attribute = attribute();
    boolean isHidden = !directory.reading().isVisible(attribute.type());
    if (isHidden && !operation.isByRootHere()) {
      throw new LdapOperationException(LdapResult.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS));
    }
    EntryTest assertion = new EntryTest(isHidden ? hidden(attribute) : assertion(attribute));
    known.assertion = assertion;
    known.presence =
        new EntryTest(
            isHidden
                ? new CompiledFilter.Presence(new AttributeSelector(attribute))
                : compile(new FilterNode.Present(request.attribute())));
    return assertion;
  }

  private AttributeDescription attribute() throws LdapOperationException {
    AttributeDescription attribute =
        AttributeDescription.parse(directory.schema(), request.attribute());
    if (attribute == null) {
      throw new LdapOperationException(
          ResultCode.UNDEFINED_ATTRIBUTE_TYPE, "the attribute type is not known");
    }
    if (attribute.unknownOption(directory.schema().attributeOptions()) != null) {
      throw new LdapOperationException(
          ResultCode.UNDEFINED_ATTRIBUTE_TYPE, "an option of the attribute is not known");
    }
    return attribute;
  }

  private CompiledFilter assertion(AttributeDescription attribute) throws LdapOperationException {
    equality(attribute);
    CompiledFilter assertion =
        compile(new FilterNode.Equality(request.attribute(), request.value()));
    if (assertion == CompiledFilter.Constant.UNDEFINED) {
      throw invalid(attribute);
    }
    return assertion;
  }

  /** Returns a test that filters do not have: of the value as it is stored, hashed or not. */
  private CompiledFilter hidden(AttributeDescription attribute) throws LdapOperationException {
    MatchingRule rule = equality(attribute);
    byte[] value = request.value();
    ByteAppender normalized = new ByteAppender(value.length + 8);
    if (!rule.acceptsAssertion(value)
        || !rule.assertionNormalizer().normalize(value, 0, value.length, normalized)) {
      throw invalid(attribute);
    }
    return new CompiledFilter.ValueTest(
        new AttributeSelector(attribute),
        CompiledFilter.ValueTest.Comparison.EQUALITY,
        rule,
        normalized.toByteArray());
  }

  private static MatchingRule equality(AttributeDescription attribute)
      throws LdapOperationException {
    MatchingRule rule = attribute.type().equality();
    if (rule == null) {
      throw new LdapOperationException(
          ResultCode.INAPPROPRIATE_MATCHING, attribute + " has no equality rule");
    }
    return rule;
  }

  private static LdapOperationException invalid(AttributeDescription attribute) {
    return new LdapOperationException(
        ResultCode.INVALID_ATTRIBUTE_SYNTAX, "the value is not valid for " + attribute);
  }

  private CompiledFilter compile(FilterNode item) throws LdapOperationException {
    return AssertionControl.compile(directory.reading(), item);
  }
}
