package org.nyala.core.operation;

import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.search.CompiledFilter;
import org.nyala.core.search.FilterLimitException;
import org.nyala.core.search.FilterNode;
import org.nyala.core.search.Ternary;

/** A compare (RFC 4511, section 4.10). Confined to one running operation. */
final class CompareOperation implements OperationBody {
  static final Set<ControlType> CONTROLS =
      Set.of(
          ControlType.MANAGE_DSA_IT,
          ControlType.ASSERTION,
          ControlType.PROXIED_AUTHORIZATION,
          ControlType.DONT_USE_COPY,
          ControlType.SESSION_TRACKING);

  private final Directory directory;
  private final Request.Compare request;
  private @Nullable CompiledFilter required;

  CompareOperation(Directory directory, Request.Compare request) {
    this.directory = directory;
    this.request = request;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    OperationScratch scratch = directory.scratch();
    RequestControls controls =
        RequestControls.read(request.controls(), CONTROLS, directory.limits().controls());
    required = AssertionControl.read(directory, controls);
    boolean manageDsaIt = controls.has(ControlType.MANAGE_DSA_IT);
    Dn name = scratch.names.parse(request.name());
    VirtualEntry virtual = directory.virtualEntries().at(name);
    ResultCode code;
    if (virtual != null) {
      virtual.show(scratch.view);
      code = compare(scratch, virtual.table(), VirtualEntry::hasSubordinates);
    } else {
      code = compare(operation, scratch, name, manageDsaIt);
    }
    operation.sink().result(request, LdapResult.of(code));
    return Outcome.DONE;
  }

  private ResultCode compare(
      Operation operation, OperationScratch scratch, Dn name, boolean manageDsaIt)
      throws LdapOperationException {
    try (ReadTransaction transaction =
        directory.backendOf(name, operation.identity()).beginRead()) {
      NameResolution resolution = new NameResolution(directory, scratch, manageDsaIt, null);
      long id = resolution.find(transaction, name);
      if (!transaction.read(id, scratch.view)) {
        throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
      }
      FilterProbe probe = directory.probe(transaction);
      ResultCode code = compare(scratch, transaction.attributes(), probe);
      probe.requireComplete();
      return code;
    }
  }

  private ResultCode compare(
      OperationScratch scratch, AttributeTable table, LongPredicate hasSubordinates)
      throws LdapOperationException {
    EntryView view = scratch.view;
    AssertionControl.check(required, scratch, table, hasSubordinates);
    CompiledFilter assertion = assertion();
    CompiledFilter presence = compile(new FilterNode.Present(request.attribute()));
    if (scratch.matcher.match(presence, view, table, hasSubordinates) != Ternary.TRUE) {
      return ResultCode.NO_SUCH_ATTRIBUTE;
    }
    return scratch.matcher.match(assertion, view, table, hasSubordinates) == Ternary.TRUE
        ? ResultCode.COMPARE_TRUE
        : ResultCode.COMPARE_FALSE;
  }

  private CompiledFilter assertion() throws LdapOperationException {
    AttributeDescription attribute =
        AttributeDescription.parse(directory.schema(), request.attribute());
    if (attribute == null) {
      throw new LdapOperationException(
          ResultCode.UNDEFINED_ATTRIBUTE_TYPE, "the attribute type is not known");
    }
    if (!directory.isVisible(attribute.type())) {
      throw new LdapOperationException(LdapResult.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS));
    }
    if (attribute.type().equality() == null) {
      throw new LdapOperationException(
          ResultCode.INAPPROPRIATE_MATCHING, attribute + " has no equality rule");
    }
    CompiledFilter assertion =
        compile(new FilterNode.Equality(request.attribute(), request.value()));
    if (assertion == CompiledFilter.Constant.UNDEFINED) {
      throw new LdapOperationException(
          ResultCode.INVALID_ATTRIBUTE_SYNTAX, "the value is not valid for " + attribute);
    }
    return assertion;
  }

  private CompiledFilter compile(FilterNode item) throws LdapOperationException {
    try {
      return directory.filters().compile(item);
    } catch (FilterLimitException e) {
      throw new IllegalStateException("a single item is within every limit", e);
    }
  }
}
