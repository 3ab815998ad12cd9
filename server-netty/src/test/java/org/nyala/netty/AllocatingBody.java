package org.nyala.netty;

import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;

/**
 * A search that allocates mebibytes in each of its slices, and succeeds after some: its base is
 * {@code cn=allocating,MEBIBYTES,SLICES} or {@code cn=allocating,MEBIBYTES,writer}, which is for an
 * update that the writer would get.
 */
final class AllocatingBody implements OperationBody {
  static final String BASE = "cn=allocating,";

  private final Request.Search search;
  private final int mebibytes;
  private final boolean isUpdate;
  private int slicesLeft;

  /** Anything that is allocated, lest the compiler find it useless. */
  private byte[] last = {};

  AllocatingBody(Request.Search search) {
    String[] parts = search.base().split(",", -1);
    this.search = search;
    this.mebibytes = Integer.parseInt(parts[1]);
    this.isUpdate = parts[2].equals("writer");
    this.slicesLeft = isUpdate ? 1 : Integer.parseInt(parts[2]);
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    for (int i = 0; i < 16 * mebibytes; i++) {
      last = new byte[1 << 16];
    }
    if (--slicesLeft > 0) {
      return Outcome.YIELDED;
    }
    if (isUpdate) {
      operation.handsOver();
      operation.finish(LdapResult.SUCCESS);
      return Outcome.PARKED;
    }
    operation.sink().result(search, LdapResult.of(ResultCode.SUCCESS, last.length + " bytes"));
    return Outcome.DONE;
  }
}
