package org.nyala.core.operation;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.extended.ExtendedOperation;
import org.nyala.core.session.OperationFixture;

/** One request of every kind. */
public final class RequestKinds {
  private RequestKinds() {}

  public static List<Request> all() {
    List<RequestControl> none = List.of();
    List<Request> all = new ArrayList<>();
    all.add(OperationFixture.search("", Scope.BASE, OperationFixture.ALL));
    all.add(new Request.Bind(1, 3, "", null, new byte[0], none));
    all.add(new Request.Unbind(1, none));
    all.add(new Request.Compare(1, "", "cn", new byte[0], none));
    all.add(new Request.Abandon(1, 2, none));
    all.add(new Request.Add(1, "", List.of(), none));
    all.add(new Request.Delete(1, "", none));
    all.add(new Request.Modify(1, "", List.of(), none));
    all.add(new Request.ModifyDn(1, "", "", true, null, none));
    for (String oid : ExtendedOperation.OIDS) {
      all.add(new Request.Extended(1, oid, null, none));
    }
    return all;
  }
}
