package org.nyala.core.operation.update;

import java.util.List;
import java.util.Set;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.ClassSet;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.session.PreparedUpdate;
import org.nyala.core.update.UpdateContext;

/**
 * An add (RFC 4511, section 4.7).
 *
 * <p>Confined to one running operation.
 */
public final class AddOperation implements PreparedUpdate {
  public static final Set<ControlType> CONTROLS = UpdateControls.and(ControlType.POST_READ);

  private final OperationContext directory;
  private final UpdateControls controls;
  private final Backend backend;
  private final BoundIdentity writer;
  private final Entry entry;
  private final ClassSet classes;

  private AddOperation(
      OperationContext directory,
      UpdateControls controls,
      Backend backend,
      BoundIdentity writer,
      Entry entry,
      ClassSet classes) {
    this.directory = directory;
    this.controls = controls;
    this.backend = backend;
    this.writer = writer;
    this.entry = entry;
    this.classes = classes;
  }

  static AddOperation prepare(
      OperationContext directory,
      Request.Add request,
      BoundIdentity identity,
      RequestControls honoured)
      throws LdapOperationException {
    UpdateControls controls = UpdateControls.read(directory.reading(), honoured, identity);
    Dn name = directory.scratch().names.parse(request.name());
    if (directory.virtualEntries().at(name) != null) {
      throw new LdapOperationException(
          ResultCode.ENTRY_ALREADY_EXISTS, "the server itself has an entry of this name");
    }
    Backend backend = directory.updating().writeAccess().backendOf(name, identity);
    if (request.attributes().isEmpty()) {
      throw new LdapOperationException(ResultCode.PROTOCOL_ERROR, "an entry without attributes");
    }
    Entry entry =
        directory.updating().rules().newEntry(name, request.attributes(), controls.relaxed());
    ClassSet classes = directory.updating().rules().checkNew(entry, controls.relaxed());
    return new AddOperation(directory, controls, backend, identity, entry, classes);
  }

  @Override
  public Backend backend() {
    return backend;
  }

  @Override
  public boolean isComposite() {
    return controls.isComposite();
  }

  @Override
  public LdapResult apply(UpdateContext context) throws LdapOperationException {
    UpdateTurn turn = new UpdateTurn(directory, context, controls, writer);
    long parent = new EntryPlacement(directory, turn.transaction()).parentOfNew(entry.dn());
    new DescendantNameCheck(directory.reading(), turn.transaction())
        .requireShort(entry.dn(), parent);
    directory.updating().structureRules().check(turn.transaction(), classes, entry.dn(), parent);
    directory.dynamic().checkNew(directory, backend, context, classes, parent);
    turn.check(entry);
    Entry complete = new Entry(entry.dn());
    for (AttributeDescription description : entry.descriptions()) {
      values(description).forEach(value -> complete.add(description, value));
    }
    ObjectClass structural = classes.structural();
    if (structural == null) {
      throw new IllegalStateException("an entry without a structural class was accepted");
    }
    directory
        .updating()
        .operational()
        .complete(complete, structural, directory.updating().newUuid(), turn.stamp(writer.dn()));
    directory.dynamic().complete(complete, classes);
    new EntrySize(directory.limits().updates().sizes()).check(complete);
    return turn.applied(turn.apply(new ResolvedChange.Add(complete)));
  }

  private List<byte[]> values(AttributeDescription description) {
    List<byte[]> values = entry.values(description);
    return values == null ? List.of() : values;
  }
}
