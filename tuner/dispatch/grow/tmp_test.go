package grow
import ("testing";"context";"fmt";"os";"time";"github.com/atomtune/atomtune/device")
func TestTmpCollect(t *testing.T){
 if os.Getenv("TMPCOLLECT")=="" {t.Skip()}
 s:=DefaultSweep()
 start:=time.Now()
 l,err:=Collect(context.Background(), s, CollectOptions{Workers:1,Journal:"/tmp/w/dispatch.jsonl", Progress: func(d,n int){ if d%200==0 {fmt.Println(d,n,time.Since(start))}}})
 if err!=nil{t.Fatal(err)}
 data,err:=EncodeStreams(s,l); if err!=nil{t.Fatal(err)}
 fmt.Println(len(data), time.Since(start))
 os.WriteFile("/tmp/w/dispatch.jsonl.gz",data,0o666)
}

func TestTmpGrow(t *testing.T){
 if os.Getenv("TMPGROW")=="" {t.Skip()}
 data,err:=os.ReadFile(os.Getenv("TMPGROW")); if err!=nil{t.Fatal(err)}
 _,l,err:=DecodeStreams("x",data); if err!=nil{t.Fatal(err)}
 for _,name:=range []string{"h200","h100"} {
 start:=time.Now()
 d,err:=device.Builtin(name); if err!=nil{t.Fatal(err)}
 tr,err:=Tree(context.Background(),d,l,DefaultOptions())
 if err!=nil{t.Fatal(err)}
 fmt.Println(name,len(l),len(tr.Nodes),len(tr.Actions),time.Since(start))
 fmt.Printf("%+v\n",tr.Evaluation)
 for _,a:=range tr.Actions{fmt.Println(a)}
 out,_:=tr.Encode()
 os.WriteFile("/tmp/w/s8_tree_"+name+".json",out,0o666)
 }
}
