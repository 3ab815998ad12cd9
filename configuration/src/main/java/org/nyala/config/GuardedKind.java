package org.nyala.config;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.OperationBody;
import org.nyala.extension.Directory;
import org.nyala.extension.ExtendedKind;

/**
 * An extended operation of a guarded extension, whose faults end the operation.
 *
 * <p>Thread-safe.
 */
final class GuardedKind implements ExtendedKind {
  private final GuardedExtension extension;
  private final ExtendedKind kind;
  private final String oid;
  private final Set<ControlType> controls;
  private final boolean isChange;

  GuardedKind(OfferedExtension offered, GuardedExtension extension, ExtendedKind kind) {
    this.extension = extension;
    this.kind = kind;
    this.oid = offered.guarded(() -> Objects.requireNonNull(kind.oid()));
    this.controls = offered.guarded(() -> Set.copyOf(kind.controls()));
    this.isChange = offered.guarded(kind::isChange);
  }

  @Override
  public String oid() {
    return oid;
  }

  @Override
  public Set<ControlType> controls() {
    return controls;
  }

  @Override
  public boolean isChange() {
    return isChange;
  }

  @Override
  public @Nullable String target(Request.Extended request) {
    return extension
        .shown(() -> Optional.ofNullable(kind.target(request)), Optional.<String>empty())
        .orElse(null);
  }

  @Override
  public OperationBody body(Directory directory, Request.Extended request) {
    OperationBody refusing =
        (_, _) -> {
          throw new LdapOperationException(
              ResultCode.UNWILLING_TO_PERFORM,
              "the extension " + extension.name() + " is switched off");
        };
    return extension.isOff()
        ? refusing
        : GuardedBody.of(extension, (_, _) -> kind.body(directory, request), request, refusing);
  }
}
